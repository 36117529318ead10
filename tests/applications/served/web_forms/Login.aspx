<%@ Page Language="C#" %>
<script runat="server">
protected void Enter(object sender, EventArgs e)
{
    if (FormsAuthentication.Authenticate(Name.Text, Password.Text))
        FormsAuthentication.RedirectFromLoginPage(Name.Text, false);
    else
        Message.Text = "Your login was not successful.";
}
</script>
<html><head runat="server"><title>Log in</title></head><body><form runat="server">
<h1>Log in</h1><asp:Label id="Message" runat="server" />
<asp:TextBox id="Name" runat="server" /><asp:TextBox id="Password" TextMode="Password" runat="server" />
<asp:Button id="Send" Text="Log in" OnClick="Enter" runat="server" />
</form></body></html>
