from __future__ import annotations

from django import forms

from example_suite.shop.models import Order


class OrderForm(forms.ModelForm):
    class Meta:
        model = Order
        fields = ["quantity", "note"]
        labels = {"note": "Note to the shop"}
        widgets = {"quantity": forms.NumberInput(attrs={"min": 1, "max": 99})}
