// Errors of the updater, which a launcher can show as they are.

/** What a launcher may want to tell apart. */
export type UpdaterErrorCode =
  /** The folder can't be read or written, or something in it is in the way. */
  | 'folder'
  /** Another process installs or updates this folder. */
  | 'locked'
  /** The channel has no build for this computer, or the server no longer has the installed one. */
  | 'not-offered'
  /** The disk has too little space. */
  | 'space'
  /** What the server sent isn't what it signed, or isn't allowed. Nothing of it was used. */
  | 'untrusted'
  /** The server can't be reached, or fails. */
  | 'network';

/** `message` says what is wrong, `remedy` what a player can do; both are sentences. */
export class UpdaterError extends Error {
  override readonly name = 'UpdaterError';
  readonly code: UpdaterErrorCode;
  readonly remedy: string;

  constructor(code: UpdaterErrorCode, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}
