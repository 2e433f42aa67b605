"""A game that uses Sentry's SDK for Python: `game.py SCENARIO`."""

import os
import sys
import threading

import sentry_sdk

sentry_sdk.init(
    dsn=os.environ["SENTRY_DSN"],
    release=os.environ["SENTRY_RELEASE"],
    environment="production",
    auto_session_tracking=True,
)
scope = sentry_sdk.get_isolation_scope()
scope.set_tag("level_name", "mountains")
scope.set_user({"id": "player-7"})
scope.start_session(session_mode="application")
scope.add_attachment(bytes=b'{"car":1}', filename="save.json", content_type="application/json")


class LevelError(Exception):
    pass


def open_file():
    raise FileNotFoundError("no such file")


def load_level(number):
    password = "the value of a " + "variable"
    try:
        open_file()
    except FileNotFoundError as cause:
        raise LevelError(f"cannot load level {number}") from cause


def capture(number):
    try:
        load_level(number)
    except LevelError as error:
        sentry_sdk.capture_exception(error)


def events():
    sentry_sdk.add_breadcrumb(category="ui", message="clicked play", data={"button": "play"})
    capture(7)
    sentry_sdk.capture_message("level loaded", level="info")
    scope.end_session()


def crash():
    load_level(8)


def thread():
    worker = threading.Thread(target=load_level, args=(9,), name="loader")
    worker.start()
    worker.join()


def errors():
    for number in (1, 2, 3):
        capture(number)
        sentry_sdk.flush(5)


{"events": events, "crash": crash, "thread": thread, "errors": errors}[sys.argv[1]]()
