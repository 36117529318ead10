<%@ Page Language="C#" %>
<script runat="server">
protected void Page_Load(object sender, EventArgs e)
{
    var row = Orders.Find(Request["id"]);
    if (row == null) throw new HttpException(404, "There is no such order.");
    if (IsPostBack) return;
    Version.Value = row[1];
    Title1.Text = row[2];
    Quantity.Text = row[3];
}

protected void Save(object sender, EventArgs e)
{
    if (Orders.Change(Request["id"], Version.Value, Title1.Text, Quantity.Text)) Response.Redirect("Default.aspx");
    Message.Text = "Somebody else has changed this order.";
}
</script>
<html><head runat="server"><title>Order</title></head><body><form runat="server">
<h1>Order</h1><asp:Label id="Message" runat="server" /><asp:HiddenField id="Version" runat="server" />
<asp:TextBox id="Title1" runat="server" /><asp:TextBox id="Quantity" runat="server" />
<asp:Button id="Send" Text="Save" OnClick="Save" runat="server" /><a href="Default.aspx">Orders</a>
</form></body></html>
