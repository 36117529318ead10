"""What a fresh database holds."""

from __future__ import annotations

from django.contrib.auth import get_user_model

from example_suite.shop.models import Product

ADMIN = ("admin", "admin-password")

#: The customers; each one's password is the name followed by "-password".
CUSTOMERS = [
    *("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "kim"),
    *("leo", "mallory", "nina", "oscar", "peggy", "quinn", "rupert", "sybil", "trent", "ursula"),
    *("victor", "wendy", "xavier", "yvonne"),
]

#: Who looks after the shop in its admin, one for each user of a load test; passwords as above.
EDITORS = [f"editor{number:02}" for number in range(1, 51)]

PRODUCTS = (
    ("Teapot", "24.50", "Short and stout. Holds four cups and keeps them warm for an hour."),
    ("Mug", "7.90", "Stoneware, 300 ml. Survives the dishwasher and most deadlines."),
    ("Green tea", "5.20", "Sencha from Uji, 100 g. Two minutes at 70 °C, no longer."),
    ("Black tea", "4.80", "Assam, second flush, 100 g. Takes milk well."),
    ("Tea strainer", "3.40", "Fine steel mesh with a long handle."),
    ("Honey", "6.75", "Lime blossom, 250 g, from the hives behind the shop."),
    ("Biscuits", "2.95", "Oat and ginger, twelve in a tin."),
    ("Tray", "18.00", "Beech, with handles. Carries a pot and four mugs."),
)


def seed() -> None:
    users = get_user_model().objects
    users.create_superuser(ADMIN[0], password=ADMIN[1])
    for name in EDITORS:
        users.create_superuser(name, password=f"{name}-password")
    for name in CUSTOMERS:
        users.create_user(name, password=f"{name}-password")
    for name, price, description in PRODUCTS:
        Product.objects.create(name=name, price=price, description=description)
