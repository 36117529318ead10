"""Orders and their shops, as Flask-AppBuilder's documentation makes views of models."""

import os

from flask import Flask
from flask_appbuilder import AppBuilder, Model, ModelView
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.models.sqla.interface import SQLAInterface
from flask_wtf.csrf import CSRFProtect
from sqlalchemy import Column, ForeignKey, Integer, String
from sqlalchemy.orm import relationship


class Shop(Model):
    __tablename__ = "shop"
    id = Column(Integer, primary_key=True)
    name = Column(String(50), unique=True, nullable=False)

    def __repr__(self) -> str:
        return self.name


class Order(Model):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=True)
    title = Column(String(50), nullable=False)
    quantity = Column(Integer)
    shop_id = Column(Integer, ForeignKey("shop.id"))
    shop = relationship("Shop")

    def __repr__(self) -> str:
        return self.title


class OrderView(ModelView):
    datamodel = SQLAInterface(Order)
    list_columns = ("title", "quantity", "shop")
    page_size = 500


class ShopView(ModelView):
    datamodel = SQLAInterface(Shop)
    related_views = (OrderView,)
    list_columns = ("name",)
    page_size = 500


app = Flask(__name__)
app.config.update(
    SQLALCHEMY_DATABASE_URI=f"sqlite:///{os.environ['TEA_STATE']}/tea.db?timeout=60",
    SECRET_KEY=os.urandom(16).hex(),
    RATELIMIT_ENABLED=False,
)
CSRFProtect(app)
db = SQLA(app)
with app.app_context():
    appbuilder = AppBuilder(app, db.session)
    db.create_all()
    appbuilder.add_view(OrderView, "Orders", category="Tea")
    appbuilder.add_view(ShopView, "Shops", category="Tea")
    security = appbuilder.sm
    admin = security.find_role("Admin")
    security.add_user("admin", "Kim", "Lee", "kim@example.com", admin, "correct-horse-battery")
app.run(port=int(os.environ["TEA_PORT"]), threaded=True)
