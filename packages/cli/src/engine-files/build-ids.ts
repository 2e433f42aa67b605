// What a game must know about its own build to send crash reports and events.

export type BuildIds = {
  app_id: string;
  build_id: string;
  app_version: string;
  build_channel: string;
  /** Where the game sends crash reports and events, without the ids. */
  crashes_url: string;
  events_url: string;
};

/** Adds what this build is to the text of a file, or replaces it; `before` is null if there is no file yet. */
export type WriteIds = (ids: BuildIds, before: string | null) => string;

/**
 * A quoted text with the escapes that C, C#, GDScript and settings share with JSON. Versions have no control
 * characters.
 */
export const quoted = (text: string) => JSON.stringify(text);
