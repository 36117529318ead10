"""The pages of the shop."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from example_suite.shop.forms import OrderForm
from example_suite.shop.models import Order, Product

#: A list shows the newest so many, so that pages keep their size while a load test orders.
SHOWN = 20


@require_safe
def product_list(request: HttpRequest) -> HttpResponse:
    return render(request, "shop/product_list.html", {"products": Product.objects.all()})


@require_http_methods(["GET", "HEAD", "POST"])
def product_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """A product with its order form; POST, as a logged-in customer, places the order."""
    product = get_object_or_404(Product, pk=pk)
    if request.method == "POST" and not request.user.is_authenticated:
        return redirect("login")
    form = OrderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.instance.customer, form.instance.product = request.user, product
        placed = form.save()
        messages.success(request, f"Thank you: {placed} is on its way.")
        return redirect("order-edit", pk=placed.pk)
    return render(request, "shop/product_detail.html", {"product": product, "form": form})


@require_safe
def quote(request: HttpRequest, pk: int) -> HttpResponse:
    """The price of a quantity, which the product page asks for when the quantity changes."""
    product = get_object_or_404(Product, pk=pk)
    form = OrderForm(request.GET)
    if not form.is_valid():
        return JsonResponse({"error": "quantity: expected 1 to 99"}, status=400)
    quantity = form.cleaned_data["quantity"]
    return JsonResponse({"quantity": quantity, "total": quantity * product.price})


@login_required
@require_safe
def order_list(request: HttpRequest) -> HttpResponse:
    newest = request.user.orders.select_related("product")[:SHOWN]
    return render(request, "shop/order_list.html", {"orders": newest})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def order_edit(request: HttpRequest, pk: str) -> HttpResponse:
    order = get_object_or_404(Order.objects.select_related("product"), pk=pk, customer=request.user)
    form = OrderForm(request.POST or None, instance=order)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Your order was changed.")
        return redirect("order-list")
    return render(request, "shop/order_edit.html", {"order": order, "form": form})
