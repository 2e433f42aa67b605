// A game that uses Sentry's SDK for Java: `Game SCENARIO`.
package com.example.owls;

import io.sentry.Attachment;
import io.sentry.Breadcrumb;
import io.sentry.Sentry;
import io.sentry.SentryLevel;
import io.sentry.protocol.Feedback;
import io.sentry.protocol.SentryId;
import io.sentry.protocol.User;

public final class Game {
  static final class LevelException extends RuntimeException {
    LevelException(int number, Throwable cause) {
      super("cannot load level " + number, cause);
    }
  }

  static void openFile() {
    throw new IllegalStateException("no such file");
  }

  static void loadLevel(int number) {
    try {
      openFile();
    } catch (IllegalStateException cause) {
      throw new LevelException(number, cause);
    }
  }

  static SentryId capture(int number) {
    try {
      loadLevel(number);
      return SentryId.EMPTY_ID;
    } catch (LevelException error) {
      return Sentry.captureException(error);
    }
  }

  static void events() {
    var breadcrumb = new Breadcrumb("clicked play");
    breadcrumb.setCategory("ui");
    breadcrumb.setData("button", "play");
    Sentry.addBreadcrumb(breadcrumb);
    var id = capture(7);
    Sentry.captureMessage("level loaded", SentryLevel.INFO);
    var feedback = new Feedback("I turned left");
    feedback.setName("Player");
    feedback.setContactEmail("player@example.com");
    feedback.setAssociatedEventId(id);
    Sentry.feedback().capture(feedback);
  }

  static void crash() {
    loadLevel(8);
  }

  static void crashInThread() throws InterruptedException {
    var loader = new Thread(() -> loadLevel(9), "loader");
    loader.start();
    loader.join();
  }

  static void errors() {
    for (int number = 1; number <= 3; number++) {
      capture(number);
      Sentry.flush(5000);
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("SENTRY_DSN"));
          options.setRelease(System.getenv("SENTRY_RELEASE"));
          options.setEnvironment("production");
          options.addInAppInclude("com.example.owls");
          options.setEnableAutoSessionTracking(true);
        });
    Sentry.configureScope(
        scope -> {
          scope.setTag("level_name", "mountains");
          var user = new User();
          user.setId("player-7");
          scope.setUser(user);
          scope.addAttachment(new Attachment("{\"car\":1}".getBytes(), "save.json", "application/json"));
        });
    Sentry.startSession();
    switch (arguments[0]) {
      case "events" -> events();
      case "crash" -> crash();
      case "thread" -> crashInThread();
      default -> errors();
    }
    Sentry.endSession();
    Sentry.close();
  }
}
