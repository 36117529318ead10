from __future__ import annotations

from django.contrib import admin

from example_suite.shop.models import Order, Product


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ["name", "price"]
    search_fields = ["name"]


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin):
    list_display = ["id", "customer", "product", "quantity", "created"]
    list_select_related = ["customer", "product"]
