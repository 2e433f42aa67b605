//! A game that uses Sentry's SDK for Rust: `game SCENARIO`.
use std::error::Error;
use std::fmt;
use std::time::Duration;

use sentry::protocol::{Attachment, Breadcrumb, Map, User, Value};
use sentry_minidump::MinidumpIntegration;

#[derive(Debug)]
struct NotFound;

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such file")
    }
}

impl Error for NotFound {}

#[derive(Debug)]
struct LevelError(u32, NotFound);

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot load level {}", self.0)
    }
}

impl Error for LevelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.1)
    }
}

fn open_file() -> Result<(), NotFound> {
    Err(NotFound)
}

fn load_level(number: u32) -> Result<(), LevelError> {
    open_file().map_err(|cause| LevelError(number, cause))
}

fn capture(number: u32) {
    if let Err(error) = load_level(number) {
        sentry::capture_error(&error);
    }
}

fn breadcrumb() -> Breadcrumb {
    Breadcrumb {
        category: Some("ui".into()),
        message: Some("clicked play".into()),
        data: Map::from([("button".into(), Value::from("play"))]),
        ..Default::default()
    }
}

fn user() -> User {
    User { id: Some("player-7".into()), ..Default::default() }
}

fn events() {
    sentry::add_breadcrumb(breadcrumb());
    capture(7);
    sentry::capture_message("level loaded", sentry::Level::Info);
}

#[inline(never)]
fn start_race(cars: &[&str], index: usize) -> usize {
    cars[index].len()
}

fn panic() {
    start_race(&["red"], 3);
}

#[inline(never)]
fn drive(car: *mut u32) {
    unsafe { car.write_volatile(1) };
}

/// Crashes so that the separate process writes a dump. What that process sends comes from its own scope.
fn crash() {
    sentry::with_integration(|minidump: &MinidumpIntegration, _| {
        minidump.add_breadcrumb(breadcrumb());
        minidump.set_tag("level_name".into(), Some("mountains".into()));
        minidump.set_user(Some(user()));
    });
    drive(std::ptr::without_provenance_mut(8));
}

fn errors() {
    for number in 1..=3 {
        capture(number);
        sentry::Hub::current().client().inspect(|client| {
            client.flush(Some(Duration::from_secs(5)));
        });
    }
}

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    let release = std::env::var("SENTRY_RELEASE").unwrap_or_default();
    let mut options = sentry::ClientOptions::new()
        .release(release)
        .environment("production")
        .auto_session_tracking(true)
        .attach_stacktrace(true)
        .in_app_include(["game"]);
    if scenario == "crash" {
        let folder = std::env::current_dir().unwrap_or_default();
        options = options.add_integration(MinidumpIntegration::new().crashes_dir(folder));
    }
    let _sentry = sentry::init(options);
    sentry::configure_scope(|scope| {
        scope.set_tag("level_name", "mountains");
        scope.set_user(Some(user()));
        scope.add_attachment(Attachment {
            buffer: b"{\"car\":1}".to_vec(),
            filename: "save.json".into(),
            content_type: Some("application/json".into()),
            ty: None,
        });
    });
    match scenario.as_str() {
        "events" => events(),
        "panic" => panic(),
        "crash" => crash(),
        _ => errors(),
    }
}
