from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.contrib.staticfiles.views import serve
from django.urls import path

from example_suite.shop import api, views

urlpatterns = [
    path("", views.product_list, name="product-list"),
    path("products/<int:pk>/", views.product_detail, name="product-detail"),
    path("products/<int:pk>/quote", views.quote, name="quote"),
    path("orders/", views.order_list, name="order-list"),
    path("orders/<uuid:pk>/", views.order_edit, name="order-edit"),
    path("login/", LoginView.as_view(template_name="shop/login.html"), name="login"),
    path("logout/", LogoutView.as_view(next_page="product-list"), name="logout"),
    path("api/token", api.token),
    path("api/products", api.products),
    path("api/orders", api.orders),
    path("api/orders/<uuid:pk>", api.order),
    path("admin/", admin.site.urls),
    # Through the middleware like any page; `insecure` only means: although DEBUG is off.
    path("static/<path:path>", serve, {"insecure": True}),
    path("favicon.ico", serve, {"insecure": True, "path": "shop/icon.svg"}),
]
