"""The JSON API. Everything but /api/token wants the bearer token that /api/token gives."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

from django.contrib.auth import authenticate, get_user_model
from django.core import signing
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from example_suite.shop.forms import OrderForm
from example_suite.shop.models import Order, Product
from example_suite.shop.views import SHOWN

TOKEN_SECONDS = 3600
_SALT = "shop.api"

View = Callable[..., HttpResponse]


def _error(status: int, message: str) -> JsonResponse:
    return JsonResponse({"error": message}, status=status)


def _unauthorized(message: str) -> JsonResponse:
    response = _error(401, message)
    response["WWW-Authenticate"] = "Bearer"  # RFC 6750 section 3
    return response


def _body(request: HttpRequest) -> dict[str, object] | None:
    """The JSON object in the request's body, or None."""
    try:
        body = json.loads(request.body)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _with_token(*methods: str) -> Callable[[View], View]:
    """A view for these methods that answers 401 without a token of this server's."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @require_http_methods(methods)
        @functools.wraps(view)
        def checked(request: HttpRequest, **arguments: object) -> HttpResponse:
            scheme, _, value = request.headers.get("Authorization", "").partition(" ")
            if scheme.lower() != "bearer":
                return _unauthorized("send the header 'Authorization: Bearer <access_token>'")
            try:
                user_id = signing.loads(value, salt=_SALT, max_age=TOKEN_SECONDS)
            except signing.BadSignature:
                return _unauthorized("this token has expired or is not from here")
            request.user = get_object_or_404(get_user_model(), pk=user_id)
            return view(request, **arguments)

        return checked

    return decorate


def _product(product: Product) -> dict[str, object]:
    return model_to_dict(product)


def _order(order: Order) -> dict[str, object]:
    return {
        "id": order.pk,
        "product": order.product_id,
        "quantity": order.quantity,
        "note": order.note,
        "total": order.total,
        "created": order.created,
    }


def _save(order: Order, fields: dict[str, object], status: int) -> HttpResponse:
    form = OrderForm(fields, instance=order)
    if not form.is_valid():
        key, errors = next(iter(form.errors.items()))
        return _error(400, f"{key}: {errors[0]}")
    return JsonResponse(_order(form.save()), status=status)


@csrf_exempt
@require_http_methods(["POST"])
def token(request: HttpRequest) -> HttpResponse:
    body = _body(request)
    if body is None:
        return _error(400, "expected a JSON object with username and password")
    user = authenticate(
        request, username=str(body.get("username")), password=str(body.get("password"))
    )
    if user is None:
        return _unauthorized("unknown username or wrong password")
    return JsonResponse(
        {
            "access_token": signing.dumps(user.pk, salt=_SALT),
            "token_type": "Bearer",
            "expires_in": TOKEN_SECONDS,
        }
    )


@_with_token("GET")
def products(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"products": [_product(one) for one in Product.objects.all()]})


@_with_token("GET", "POST")
def orders(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        newest = request.user.orders.select_related("product")[:SHOWN]
        return JsonResponse({"orders": [_order(one) for one in newest]})
    body = _body(request)
    if body is None:
        return _error(400, "expected a JSON object with product, quantity and note")
    product = Product.objects.filter(pk=_number(body.get("product"))).first()
    if product is None:
        return _error(400, "product: expected the id of a product")
    return _save(Order(customer=request.user, product=product), {"quantity": 1, **body}, 201)


@_with_token("GET", "PATCH", "DELETE")
def order(request: HttpRequest, pk: str) -> HttpResponse:
    found = Order.objects.select_related("product").filter(pk=pk, customer=request.user).first()
    if found is None:
        return _error(404, "no such order")
    if request.method == "GET":
        return JsonResponse(_order(found))
    if request.method == "DELETE":
        found.delete()
        return HttpResponse(status=204)
    body = _body(request)
    if body is None:
        return _error(400, "expected a JSON object with quantity or note")
    return _save(found, {"quantity": found.quantity, "note": found.note, **body}, 200)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value < 2**31 else None
