"""Settings of the shop. Nothing here outlives a run: the server starts from an empty directory."""

from __future__ import annotations

import os

from django.core.management.utils import get_random_secret_key

# A new key in every process: what an earlier server signed (API tokens, messages) is worth nothing
# to this one, as after a deployment. A replay that resends recorded values is found out.
SECRET_KEY = get_random_secret_key()
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "example_suite.shop",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "example_suite.shop.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("SHOP_DATABASE", ":memory:"),
        # A thread serves one connection: its database handle lives as long as that.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # Readers do not wait for the writer, writers queue up to 20 s, and a transaction takes
            # the write lock when it begins: one that read first could not get it later, and would
            # fail with "database is locked" whatever the timeout. The file is thrown away after
            # the run, so it need not be safe on the disk.
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
        },
    }
}
# Sessions stay in the database, Django's default: an opaque id in a cookie, renewed at login.
SESSION_ENGINE = "django.contrib.sessions.backends.db"
# The default, PBKDF2, takes a tenth of a second of processor time per login on purpose. A load test
# of the shop would measure that instead of its requests.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "product-list"
STATIC_URL = "/static/"
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True

# Errors with their traceback on standard error; the server writes the access log itself.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler", "level": "ERROR"}},
    "loggers": {"django": {"handlers": ["stderr"], "level": "ERROR", "propagate": False}},
}
