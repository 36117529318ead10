<%@ Page Language="C#" %>
<%@ Import Namespace="System.Data" %>
<script runat="server">
protected void Page_Load(object sender, EventArgs e) { if (!IsPostBack) Show(); }

void Show()
{
    var view = new DataView(Orders.All());
    view.Sort = "Title, Id";
    Grid.DataSource = view;
    Grid.DataBind();
}

protected void Delete(object sender, GridViewDeleteEventArgs e)
{
    Orders.Delete(Grid.DataKeys[e.RowIndex].Value.ToString());
    Show();
}

protected void Leave(object sender, EventArgs e)
{
    FormsAuthentication.SignOut();
    Response.Redirect("Login.aspx");
}
</script>
<html><head runat="server"><title>Orders</title></head><body><form runat="server">
<h1>Orders</h1><a href="New.aspx">New order</a>
<asp:LinkButton id="Out" Text="Log out" OnClick="Leave" runat="server" />
<asp:GridView id="Grid" AutoGenerateColumns="false" DataKeyNames="Id" OnRowDeleting="Delete" runat="server"><Columns>
<asp:BoundField DataField="Title" HeaderText="Title" /><asp:BoundField DataField="Quantity" HeaderText="Quantity" />
<asp:BoundField DataField="Delivery" HeaderText="Delivery" />
<asp:HyperLinkField DataNavigateUrlFields="Id" DataNavigateUrlFormatString="Order.aspx?id={0}" Text="Open" />
<asp:CommandField ShowDeleteButton="true" />
</Columns></asp:GridView>
</form></body></html>
