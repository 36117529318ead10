<%@ Page Language="C#" %>
<script runat="server">
protected void Finish(object sender, WizardNavigationEventArgs e)
{
    Response.Redirect("Order.aspx?id=" + Orders.Add(Title1.Text, Quantity.Text, Delivery.SelectedValue));
}

protected void Next(object sender, EventArgs e)
{
    Summary.Text = HttpUtility.HtmlEncode(Quantity.Text + " of " + Title1.Text + " by " + Delivery.SelectedValue);
}
</script>
<html><head runat="server"><title>New order</title></head><body><form runat="server">
<asp:Wizard id="Steps" DisplaySideBar="false" OnFinishButtonClick="Finish" OnActiveStepChanged="Next" runat="server"><WizardSteps>
<asp:WizardStep Title="What"><asp:TextBox id="Title1" runat="server" /><asp:TextBox id="Quantity" runat="server" /></asp:WizardStep>
<asp:WizardStep Title="How"><asp:DropDownList id="Delivery" runat="server">
<asp:ListItem Value="post" /><asp:ListItem Value="bicycle" /></asp:DropDownList></asp:WizardStep>
<asp:WizardStep Title="Check"><asp:Label id="Summary" runat="server" /></asp:WizardStep>
</WizardSteps></asp:Wizard>
</form></body></html>
