// Every error a caller can see: its code, HTTP status, what it means and what to do about it.

type ErrorEntry = {
  readonly status: number;
  /** Other HTTP statuses that the code may come with. */
  readonly alsoStatuses?: readonly number[];
  readonly meaning: string;
  readonly remedy: string;
};

/** The registry of error codes. `docs/errors.md` is generated from it and the CLI prints `remedy` beside each failure. */
export const ERRORS = {
  4001: {
    status: 400,
    meaning: 'The body of a crash report or of events could not be read.',
    remedy: 'Correct what the message names; the report must be well-formed JSON or a form.',
  },
  4002: {
    status: 400,
    // From the HTTP parser: the headers were too slow, or too large.
    alsoStatuses: [408, 431],
    meaning: 'A field of the request is missing or not valid, or the request is not well-formed HTTP.',
    remedy: 'Correct what the message names.',
  },
  4006: {
    status: 404,
    meaning: 'The game has no such build.',
    remedy: 'List the builds and use one of their build ids.',
  },
  4010: {
    status: 400,
    meaning: 'The request does not say which game and build it is from.',
    remedy: 'Send X-App-Id and X-Build-Id, or app_id and build_id in the address or the form.',
  },
  4011: { status: 401, meaning: 'Nobody is signed in.', remedy: 'Sign in, then repeat the request.' },
  4012: {
    status: 401,
    meaning: 'The email or password is incorrect.',
    remedy: 'Check both, or reset the password.',
  },
  4020: {
    status: 401,
    meaning: 'The access token is missing.',
    remedy: 'Send X-Access-Token; the CLI reads SERVICE_ACCESS_TOKEN or --access.',
  },
  4021: {
    status: 401,
    meaning: 'The secret key is missing.',
    remedy: 'Send X-Secret-Key; the CLI reads SERVICE_SECRET_KEY or --secret-stdin.',
  },
  4022: {
    status: 401,
    meaning: 'No deploy key has this access token.',
    remedy: 'Copy the access token again from the game’s edit page.',
  },
  4023: {
    status: 401,
    meaning: 'The deploy key was revoked.',
    remedy: 'Issuing a deploy key revokes all earlier ones: use the newest one.',
  },
  4024: {
    status: 401,
    meaning: 'The secret does not belong to this deploy key.',
    remedy: 'Use the access token and the secret that were issued together.',
  },
  4025: {
    status: 401,
    meaning: 'The request is not authenticated as a game.',
    remedy:
      'Send a deploy key in X-Access-Token and X-Secret-Key, or as user and password, not a cookie or a bearer token.',
  },
  4026: {
    status: 400,
    meaning: 'A field of the registration is missing, too long or not valid.',
    remedy: 'Correct the field that the message names and register again.',
  },
  4028: {
    status: 401,
    meaning: 'The personal key or access token is not known here, has expired or was revoked.',
    remedy: 'Make a new key on the page of your keys, or connect the program again.',
  },
  4030: {
    status: 403,
    meaning: 'There is no such game, or the build is not one of its builds.',
    remedy: 'Use the game’s uid and the build_id that `chauffeur build` printed, not a version.',
  },
  4031: {
    status: 403,
    meaning: 'The credentials do not allow this change.',
    remedy: 'Use an account or a token that may write.',
  },
  4032: {
    status: 403,
    meaning: 'The request came from another site.',
    remedy: 'Send the request from the service’s own pages, or with a token in place of a cookie.',
  },
  4033: {
    status: 403,
    meaning: 'Only operators of the service may see or do this.',
    remedy: 'Sign in with an operator’s account; `chauffeur-server admin user operator` makes one.',
  },
  4037: {
    status: 400,
    meaning: 'The file is missing or the form could not be read.',
    remedy: 'Send multipart/form-data with one part named file.',
  },
  4038: {
    status: 400,
    meaning: 'The form does not say which build the file is for.',
    remedy: 'Send build_id, or build with build_type and version.',
  },
  4039: { status: 404, meaning: 'The game has no such build.', remedy: 'Register the build first.' },
  4040: {
    status: 404,
    meaning: 'There is no such thing, or you may not see it.',
    remedy: 'Check the address, or sign in with an account that may see it.',
  },
  4041: {
    status: 400,
    meaning: 'The checksum, os, arch or channel is not valid, or the file is not a usable .zip.',
    remedy: 'Correct what the message names; the CLI makes zips that pass.',
  },
  4043: {
    status: 413,
    meaning: 'The file is larger than is taken here, or the chunk larger than its Content-Range.',
    remedy: 'Send at most what the message names, and in each chunk exactly the bytes its Content-Range names.',
  },
  4044: {
    status: 400,
    // When the headers are well-formed and the chunk does not continue the session.
    alsoStatuses: [409],
    meaning: 'The session id or the Content-Range is missing or malformed, or the chunk does not continue the session.',
    remedy: 'Continue at the current_size of the answer.',
  },
  4045: {
    status: 404,
    meaning: 'The upload session does not exist or has expired.',
    remedy: 'Open a new upload session.',
  },
  4046: {
    status: 400,
    meaning: 'The bytes received do not have the checksum that was announced.',
    remedy: 'Compute the SHA-256 of the zip again and upload it from the start.',
  },
  4047: {
    status: 409,
    meaning: 'Another chunk of this session is still uploading.',
    remedy: 'Wait a moment, then send the chunk again.',
  },
  4048: { status: 500, meaning: 'The file could not be recorded.', remedy: 'Send the upload again.' },
  4049: {
    status: 400,
    meaning: 'The file is neither a Breakpad .sym nor a zip of them.',
    remedy: 'Make symbols with dump_syms and send a .sym file, or a zip that holds nothing else.',
  },
  4074: {
    status: 403,
    meaning: 'The file is not on a channel that you can see.',
    remedy: 'Download the file that the channel offers now.',
  },
  4075: {
    status: 409,
    meaning: 'There is no earlier build to roll back to.',
    remedy: 'Promote the build you want instead.',
  },
  4090: {
    status: 409,
    meaning: 'The crash has no such file to download.',
    remedy: 'Ask for a kind that the report lists as available.',
  },
  4092: {
    status: 409,
    meaning: 'The file is not a build that can be played in the browser.',
    remedy: 'Ship a zip of a web build, os web, with index.html at its top; download others.',
  },
  4093: {
    status: 409,
    meaning: 'The account owns games, so it cannot be deleted.',
    remedy: 'Transfer or delete its games first.',
  },
  4096: {
    status: 403,
    meaning: 'The game’s owner has not verified their email.',
    remedy: 'Open the link in the verification mail, then upload again.',
  },
  4099: {
    status: 409,
    meaning: 'The file is still being scanned, or the build has no clean file.',
    remedy: 'Wait until the scan has ended, or upload a file that passes it.',
  },
  4130: {
    status: 413,
    meaning: 'The metadata has too many keys, or the request too many events.',
    remedy: 'Send at most 64 keys of metadata, and at most 100 events in one request.',
  },
  4150: { status: 400, meaning: 'The media request is not valid.', remedy: 'Correct what the message names.' },
  4151: {
    status: 400,
    meaning: 'The file is not an image that is accepted here.',
    remedy: 'Send a PNG, JPEG, GIF or WebP of the size and shape that the message names.',
  },
  4152: { status: 409, meaning: 'The gallery is full.', remedy: 'Delete an image first.' },
  4153: {
    status: 409,
    meaning: 'The public listing needs this image.',
    remedy: 'Upload its replacement instead of deleting it.',
  },
  4154: {
    status: 409,
    meaning: 'The order does not name each image exactly once.',
    remedy: 'List the images and send all their uids.',
  },
  4158: {
    status: 422,
    meaning:
      'A standard event lacks a field that it needs, or has one that is out of range; none of the request’s events was taken.',
    remedy: 'Correct the field of the event that the message names by its index, and send all of them again.',
  },
  4214: {
    status: 202,
    meaning: 'The change waits for the approval of the game’s owner. This is a result, not a failure.',
    remedy: 'Wait until the owner has opened the link of the mail, or confirm with the code that stands in it.',
  },
  4215: {
    status: 403,
    meaning: 'The game’s owner has denied the change.',
    remedy: 'Talk to the owner; a new request needs another idempotency key.',
  },
  4216: {
    status: 403,
    meaning: 'The approval’s code is wrong, or its time or its tries are over.',
    remedy: 'Use the code of the mail while it is valid, or let the owner decide on the page of the link.',
  },
  4217: {
    status: 409,
    meaning: 'What was asked for no longer applies, or was decided otherwise already; nothing was changed.',
    remedy: 'Look at how things are now, and ask again if the change is still wanted.',
  },
  4226: {
    status: 422,
    meaning: 'The channel name or expires_in_hours is not valid.',
    remedy: 'Use a channel name of lowercase letters, digits, - and _, and 0 to 2160 hours.',
  },
  4230: {
    status: 409,
    meaning: 'The invitation is no longer open: it was accepted, declined or withdrawn, or it has expired.',
    remedy: 'Ask the owner of the game for a new invitation.',
  },
  4231: {
    status: 403,
    meaning: 'The invitation was sent to another email address.',
    remedy: 'Sign in with the account of that address, or ask the owner to invite the address of yours.',
  },
  4232: {
    status: 403,
    meaning: 'The email address of your account is not verified.',
    remedy: 'Open the link in the verification mail, then accept the invitation.',
  },
  4233: {
    status: 409,
    meaning: 'The person is already a member of the game in this role.',
    remedy: 'Check the list of members; nothing needs to be done.',
  },
  4234: {
    status: 409,
    meaning: 'The owner of a game cannot leave it.',
    remedy: 'Transfer the game to another owner first, or delete it.',
  },
  4235: {
    status: 409,
    meaning: 'The game is already offered to somebody else.',
    remedy: 'Withdraw that offer first.',
  },
  4236: {
    status: 403,
    meaning: 'The password is wrong.',
    remedy: 'Enter the password of your account again.',
  },
  4290: {
    status: 429,
    meaning: 'The game or address has reached a limit.',
    remedy: 'Wait for the number of seconds in Retry-After.',
  },
  4291: {
    status: 429,
    meaning: 'The game has too many open upload sessions.',
    remedy: 'Finish an open session or wait until one expires.',
  },
  4292: {
    status: 403,
    meaning: 'The game has used up its storage for builds and symbols.',
    remedy:
      'Delete builds or symbols that are no longer needed, or ask the operator for more (CHAUFFEUR_LIMIT_STORAGE_MB).',
  },
  5000: {
    status: 500,
    meaning: 'Something unexpected went wrong.',
    remedy: 'Try again; if it stays, give the request id to the operator.',
  },
  5020: {
    status: 502,
    meaning: 'A symbol file could not be stored.',
    remedy: 'Send the upload again.',
  },
  5070: {
    status: 507,
    meaning: 'The server has no room left to store this.',
    remedy: 'Try again later; the operator has to make room.',
  },
  5030: { status: 503, meaning: 'The service is not ready to answer.', remedy: 'Try again in a few seconds.' },
} as const satisfies Record<number, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Every HTTP status that the code may come with, the usual one first. */
export function statusesOf(code: ErrorCode): number[] {
  const { status, alsoStatuses = [] }: ErrorEntry = ERRORS[code];
  return [status, ...alsoStatuses];
}

/** What a client can act on: resume position, seconds to wait, index of the offending item. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/** A failure with a code of the registry: thrown by the server's features, rebuilt by the client from an answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly data: ErrorData | undefined;
  readonly requestId: string | undefined;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].meaning,
    options: { data?: ErrorData; status?: number; requestId?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.data = options.data;
    this.requestId = options.requestId;
  }
}

/** Whether `code` is in the registry. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'number' && code in ERRORS;
}
