// Every error a caller can see: its code, its HTTP status, what it means and what to do about it.

type ErrorEntry = {
  /** What the sources call it. */
  readonly name: string;
  readonly status: number;
  /** Other HTTP statuses that the code can have. */
  readonly alsoStatuses?: readonly number[];
  readonly meaning: string;
  readonly remedy: string;
};

/**
 * The registry of error codes. `docs/errors.md` is generated from it, and the CLI prints `remedy` with each failure.
 */
export const ERRORS = {
  4001: {
    name: 'unreadableBody',
    status: 400,
    meaning: 'The body of the crash report or the events could not be read.',
    remedy: 'Fix the problem named in the message. The body must be well-formed JSON or a form.',
  },
  4002: {
    name: 'invalid',
    status: 400,
    // The HTTP parser reports these: the headers arrived too slowly or were too large.
    alsoStatuses: [408, 431],
    meaning: 'A field of the request is missing or invalid, or the request is not well-formed HTTP.',
    remedy: 'Fix the problem named in the message.',
  },
  4006: {
    name: 'unknownBuild',
    status: 404,
    meaning: 'The game does not have this build.',
    remedy: 'List the builds or versions, and use one of them.',
  },
  4010: {
    name: 'missingIds',
    status: 400,
    meaning: 'The game or build of the request is missing.',
    remedy: 'Send X-App-Id and X-Build-Id, or app_id and build_id in the query or the form.',
  },
  4011: {
    name: 'notSignedIn',
    status: 401,
    meaning: 'You are not signed in.',
    remedy: 'Sign in and send the request again.',
  },
  4012: {
    name: 'wrongSignIn',
    status: 401,
    meaning: 'Incorrect email or password.',
    remedy: 'Check both, or reset your password.',
  },
  4013: {
    name: 'accountDisabled',
    status: 403,
    meaning: 'The account is disabled.',
    remedy: 'Ask the operator of the service to enable it.',
  },
  4014: {
    name: 'signInTooOld',
    status: 403,
    meaning: 'You signed in too long ago for this change.',
    remedy: 'Sign in again, then repeat the change.',
  },
  4015: {
    name: 'wrongSecondFactor',
    status: 401,
    meaning: 'The code of the second factor is wrong, or was used before.',
    remedy: 'Enter the next code of your authenticator app, or a backup code that was not used before.',
  },
  4016: {
    name: 'secondFactorExpired',
    status: 401,
    // The status is 400 after too many wrong codes.
    alsoStatuses: [400],
    meaning: 'The sign-in expired before the second factor was entered.',
    remedy: 'Sign in again with your password.',
  },
  4017: {
    name: 'passkeyRefused',
    status: 401,
    alsoStatuses: [400],
    meaning: 'The passkey was not accepted.',
    remedy: 'Try again, or sign in with your password.',
  },
  4020: {
    name: 'missingAccessToken',
    status: 401,
    meaning: 'The access token is missing.',
    remedy: 'Send X-Access-Token. In the CLI, set SERVICE_ACCESS_TOKEN or use --access.',
  },
  4021: {
    name: 'missingSecretKey',
    status: 401,
    meaning: 'The secret key is missing.',
    remedy: 'Send X-Secret-Key. In the CLI, set SERVICE_SECRET_KEY or use --secret-stdin.',
  },
  4022: {
    name: 'unknownAccessToken',
    status: 401,
    meaning: 'The access token does not belong to any deploy key.',
    remedy: "Copy the access token again from the game's deploy keys page.",
  },
  4023: {
    name: 'revokedKey',
    status: 401,
    meaning: 'The deploy key was revoked, or the upload token was revoked or has expired.',
    remedy: 'Use the newest deploy key, or a new upload token. Creating a deploy key revokes all earlier ones.',
  },
  4024: {
    name: 'wrongSecretKey',
    status: 401,
    meaning: 'The secret key does not match the access token.',
    remedy: 'Use the access token and the secret key of the same deploy key.',
  },
  4025: {
    name: 'needsDeployKey',
    status: 401,
    meaning: 'The request needs a deploy key, a login of the chauffeur command or an API token.',
    remedy:
      'Send the deploy key in X-Access-Token and X-Secret-Key, or as user name and password. Only logins of the chauffeur command and API tokens are accepted as bearer tokens.',
  },
  4018: {
    name: 'unknownApiToken',
    status: 401,
    meaning: 'The API token is unknown or incomplete, or its account is disabled.',
    remedy: 'Check that you send all of it, or create a new one at /settings/tokens.',
  },
  4026: {
    name: 'invalidBuild',
    status: 400,
    meaning: 'A field of the build registration is missing, too long or invalid.',
    remedy: 'Correct the field named in the message and register the build again.',
  },
  4027: {
    name: 'unknownCliLogin',
    status: 401,
    meaning: 'The login of the chauffeur command is unknown, expired or revoked.',
    remedy: 'Run chauffeur login again.',
  },
  4028: {
    name: 'unknownPersonalKey',
    status: 401,
    meaning: 'The personal key or access token is unknown, expired or revoked.',
    remedy: 'Create a new personal key in your settings, or connect the program again.',
  },
  4029: {
    name: 'ambiguousGame',
    status: 400,
    meaning: 'The login gives access to several games or none, and the request does not name one.',
    remedy: 'Send the uid or slug of the game in X-App-Id. In the CLI, use --game or set SERVICE_GAME.',
  },
  4030: {
    name: 'unknownClientIds',
    status: 403,
    meaning: 'The game does not exist, or the build belongs to another game.',
    remedy:
      'Register the build before you compile the game. `chauffeur build --write <file>` writes both ids into it; a version is not an id.',
  },
  4031: {
    name: 'notAllowed',
    status: 403,
    meaning: 'Your credentials do not allow this change.',
    remedy: 'Use an account or a token with write access.',
  },
  4032: {
    name: 'crossSite',
    status: 403,
    meaning: 'The request came from another site.',
    remedy: "Send the request from this service's own pages, or with a token instead of a cookie.",
  },
  4033: {
    name: 'operatorsOnly',
    status: 403,
    meaning: 'Operators only.',
    remedy: 'Sign in as an operator. `chauffeur-server admin user operator` makes an account an operator.',
  },
  4034: {
    name: 'missingScope',
    status: 403,
    meaning: 'The upload token or API token does not have the scope that this needs.',
    remedy: 'Use a token with the scope that the message names, or for uploads, the deploy key.',
  },
  4035: {
    name: 'strongerSignInNeeded',
    status: 403,
    meaning: 'The organisation requires a second factor or single sign-on, which you did not sign in with.',
    remedy:
      'Set it up at /settings/security, and sign in with it. Then create keys, agents and logins of the command again.',
  },
  4036: {
    name: 'notForTokens',
    status: 403,
    meaning: "This can't be done with an API token, or not with one that is limited to some games.",
    remedy: 'Sign in on the website, or use a token for all of your games.',
  },
  4037: {
    name: 'unreadableForm',
    status: 400,
    meaning: 'The file is missing or the form could not be read.',
    remedy: 'Send multipart/form-data with one part named file.',
  },
  4038: {
    name: 'missingBuildId',
    status: 400,
    meaning: 'The build of the file is missing from the form.',
    remedy: 'Send build_id, or build_type and version in build.',
  },
  4039: {
    name: 'unknownBuildOfFile',
    status: 404,
    meaning: 'The game does not have this build.',
    remedy: 'Register the build first.',
  },
  4040: {
    name: 'notFound',
    status: 404,
    meaning: 'Not found, or not visible to you.',
    remedy: 'Check the address, or sign in with an account that has access.',
  },
  4041: {
    name: 'invalidFile',
    status: 400,
    meaning: 'The checksum, os, arch or channel is invalid, or the file is not a valid zip.',
    remedy: 'Fix the problem named in the message. Zips made by the CLI are always valid.',
  },
  4043: {
    name: 'tooLarge',
    status: 413,
    meaning: 'The file is too large, or the chunk is larger than its Content-Range.',
    remedy: 'Stay below the limit in the message, and send exactly the bytes of the Content-Range in each chunk.',
  },
  4044: {
    name: 'invalidChunk',
    status: 400,
    // When the headers are well-formed but the chunk does not continue the session.
    alsoStatuses: [409],
    meaning: 'The session id or Content-Range is missing or malformed, or the chunk does not continue the session.',
    remedy: 'Continue at the current_size in the response.',
  },
  4045: {
    name: 'unknownSession',
    status: 404,
    meaning: 'The upload session does not exist or has expired.',
    remedy: 'Open a new upload session.',
  },
  4046: {
    name: 'wrongChecksum',
    status: 400,
    meaning: 'The received bytes do not match the announced checksum.',
    remedy: 'Compute the SHA-256 of the zip again and restart the upload.',
  },
  4047: {
    name: 'chunkUnderWay',
    status: 409,
    meaning: 'Another chunk of this session is still uploading.',
    remedy: 'Wait a moment and send the chunk again.',
  },
  4048: {
    name: 'fileNotSaved',
    status: 500,
    meaning: 'The uploaded file could not be saved.',
    remedy: 'Upload the file again.',
  },
  4049: {
    name: 'notSymbols',
    status: 400,
    meaning: 'The file has no symbols: it is not a .sym file, a program, a debug file, or a zip of these.',
    remedy: 'Send what the build left behind with chauffeur symbols, which finds and converts symbols.',
  },
  4050: {
    name: 'revokedApiToken',
    status: 401,
    meaning: 'The API token was revoked.',
    remedy: 'Create a new one at /settings/tokens.',
  },
  4051: {
    name: 'expiredApiToken',
    status: 401,
    meaning: 'The API token has expired.',
    remedy: 'Create a new one at /settings/tokens.',
  },
  4052: {
    name: 'gameNotInToken',
    status: 403,
    meaning: 'The API token is limited to other games.',
    remedy: 'Use a token for this game, or one for all of your games.',
  },
  4053: {
    name: 'blocksGone',
    status: 409,
    meaning: 'An upload of what changed counts on blocks of an earlier file that was deleted in the meantime.',
    remedy: 'Upload the whole zip.',
  },
  4054: {
    name: 'unknownDsn',
    status: 403,
    meaning: "No game has this DSN, or it was revoked. The request comes from one of Sentry's SDKs.",
    remedy: "Copy a DSN from the game's settings.",
  },
  4074: {
    name: 'notOnChannel',
    status: 403,
    meaning: 'The file is not on any channel you have access to.',
    remedy: 'Download the current file of the channel.',
  },
  4075: {
    name: 'noEarlierBuild',
    status: 409,
    meaning: 'There is no earlier build to roll back to.',
    remedy: 'Promote the build that you want.',
  },
  4076: {
    name: 'channelMoved',
    status: 409,
    meaning: 'The channel has moved since the change, so it cannot be undone.',
    remedy: 'List what the channel offers now, and promote the version that you want.',
  },
  4077: {
    name: 'rolloutConflict',
    status: 409,
    meaning: 'The state of the rollout, or of the channel, does not allow this.',
    remedy: 'Look at the rollouts of the game, and do what the message says.',
  },
  4090: {
    name: 'noSuchCrashFile',
    status: 409,
    meaning: 'The crash report does not have this file.',
    remedy: 'Request one of the kinds that the report lists as available.',
  },
  4091: {
    name: 'issueTrackerFailed',
    status: 409,
    meaning: 'The issue tracker did not create the issue, or did not list the commits.',
    remedy: 'Fix the problem named in the message, or do it in the tracker itself. An issue can then be linked.',
  },
  4092: {
    name: 'notPlayable',
    status: 409,
    meaning: 'The build cannot be played in the browser.',
    remedy:
      'Download it instead. To play in the browser, ship a web build (os web) with index.html at the top of the zip.',
  },
  4093: {
    name: 'accountOwnsGames',
    status: 409,
    meaning: 'The account cannot be deleted because it owns games.',
    remedy: 'Transfer or delete the games first.',
  },
  4094: {
    name: 'noReplyAddress',
    status: 409,
    meaning: 'The player who filed the ticket has no address for replies.',
    remedy: 'Close the ticket, or mark it as fixed. The player did not leave an address.',
  },
  4095: {
    name: 'accountNeeded',
    status: 409,
    meaning: 'The account cannot be disabled.',
    remedy: 'Your own account and the last operator cannot be disabled.',
  },
  4096: {
    name: 'ownerNotVerified',
    status: 403,
    meaning: "The game's owner has not verified their email address.",
    remedy: 'Open the link in the verification email, then upload again.',
  },
  4097: {
    name: 'secondFactorNeeded',
    status: 409,
    meaning: 'An organisation requires the last second factor of the account.',
    remedy: 'Add another one first, or leave the organisation.',
  },
  4099: {
    name: 'notClean',
    status: 409,
    meaning: 'The file is still being scanned, or the build has no clean file.',
    remedy: 'Wait for the scan to finish, or upload a file that passes it.',
  },
  4130: {
    name: 'tooMany',
    status: 413,
    meaning: 'The metadata has too many keys, or the request has too many events.',
    remedy: 'Send at most 64 metadata keys, and at most 100 events per request.',
  },
  4150: {
    name: 'invalidMedia',
    status: 400,
    meaning: 'The media request is invalid.',
    remedy: 'Fix the problem named in the message.',
  },
  4151: {
    name: 'imageRefused',
    status: 400,
    meaning: 'The image was not accepted.',
    remedy: 'Upload a PNG, JPEG, GIF or WebP with the size and aspect ratio in the message.',
  },
  4152: {
    name: 'mediaFull',
    status: 409,
    meaning: 'The gallery is full, or the game has the maximum number of videos.',
    remedy: 'Delete a screenshot or a video first.',
  },
  4153: {
    name: 'imageNeeded',
    status: 409,
    meaning: 'A public game needs this image.',
    remedy: 'Replace the image instead of deleting it.',
  },
  4154: {
    name: 'wrongOrder',
    status: 409,
    meaning: 'The order does not contain each screenshot, or each video, exactly once.',
    remedy: 'List the images or videos, and send the uids of all screenshots or all videos.',
  },
  4155: {
    name: 'videoRefused',
    status: 400,
    meaning: 'The video was not accepted.',
    remedy: 'Upload an MP4 or WebM that meets the requirements in the message.',
  },
  4158: {
    name: 'invalidEvent',
    status: 422,
    meaning:
      'A standard event has a missing field or a value out of range. None of the events in the request were stored.',
    remedy: 'Correct the event at the index in the message, and send all events again.',
  },
  4214: {
    name: 'approvalNeeded',
    status: 202,
    meaning: "The change needs the approval of the game's owner. This is a result, not a failure.",
    remedy: 'Wait for the owner to decide, or confirm the change with the code from the email.',
  },
  4215: {
    name: 'approvalDenied',
    status: 403,
    meaning: "The game's owner denied the change.",
    remedy: 'Talk to the owner. To ask again, use another idempotency key.',
  },
  4216: {
    name: 'wrongApprovalCode',
    status: 403,
    meaning: 'The approval code is wrong, has expired, or was tried too often.',
    remedy: 'Use the code from the email while it is valid, or ask the owner to open the link in the email.',
  },
  4217: {
    name: 'alreadyDecided',
    status: 409,
    meaning: 'The request no longer applies or was already decided. Nothing was changed.',
    remedy: 'Check the current state, and send a new request if the change is still needed.',
  },
  4226: {
    name: 'invalidChannel',
    status: 422,
    meaning: 'The channel name or expires_in_hours is invalid.',
    remedy: 'Use lowercase letters, digits, - and _ in the channel name, and 0 to 2160 hours.',
  },
  4227: {
    name: 'idempotencyKeyReused',
    status: 422,
    meaning: 'The Idempotency-Key was sent before, with another body or build. Nothing was created.',
    remedy: 'Use a new key for each report, and the same key only to send exactly the same report again.',
  },
  4228: {
    name: 'invalidRollout',
    status: 422,
    meaning: 'The channel, a step, a guard or the share of the rollout is invalid.',
    remedy: 'Fix the problem named in the message. Shares grow from step to step, and only the last step has no time.',
  },
  4230: {
    name: 'invitationClosed',
    status: 409,
    meaning: 'The invitation is no longer open: it was accepted, declined, withdrawn or has expired.',
    remedy: "Ask the game's owner for a new invitation.",
  },
  4231: {
    name: 'otherRecipient',
    status: 403,
    meaning: 'The invitation was sent to another email address.',
    remedy: 'Sign in with the account of that address, or ask the owner to invite your address.',
  },
  4232: {
    name: 'emailNotVerified',
    status: 403,
    meaning: 'Your email address is not verified.',
    remedy: 'Open the link in the verification email, then accept the invitation.',
  },
  4233: {
    name: 'sameRole',
    status: 409,
    meaning: 'This person already has this role in the game.',
    remedy: 'No action is needed.',
  },
  4234: {
    name: 'lastOwner',
    status: 409,
    meaning: 'The last owner of a game or an organisation cannot leave it.',
    remedy: 'Make someone else an owner first, transfer the game, or delete it.',
  },
  4235: {
    name: 'transferUnderWay',
    status: 409,
    meaning: 'The game is already being transferred to someone else.',
    remedy: 'Withdraw that transfer first.',
  },
  4236: {
    name: 'wrongPassword',
    status: 403,
    meaning: 'Incorrect password.',
    remedy: 'Enter the password of your account.',
  },
  4237: {
    name: 'wrongSetupCode',
    status: 403,
    meaning: 'The set-up code is wrong, was already used, or is no longer needed because there is an operator.',
    remedy: 'Copy the code that the server printed when it last started. If it printed none, sign in as an operator.',
  },
  4238: {
    name: 'organisationHasGames',
    status: 409,
    meaning: 'The organisation cannot be deleted because it has games.',
    remedy: 'Move, transfer or delete its games first.',
  },
  4239: {
    name: 'pageHidden',
    status: 409,
    meaning: 'An operator has hidden the page of the game, so its visibility cannot be changed.',
    remedy: 'Fix what the reason describes, then ask the operators to show the page again.',
  },
  4260: {
    name: 'incompatibleCommand',
    status: 426,
    meaning: 'The chauffeur command and the server have different major versions.',
    remedy: 'Run chauffeur self-update, or install the command of this server from its page /cli.',
  },
  4290: {
    name: 'limitReached',
    status: 429,
    meaning: 'The game or the IP address has reached a limit.',
    remedy: 'Wait for the number of seconds in Retry-After and try again.',
  },
  4291: {
    name: 'tooManySessions',
    status: 429,
    meaning: 'The game has too many open upload sessions.',
    remedy: 'Finish an open session, or wait for one to expire.',
  },
  4292: {
    name: 'storageLimitReached',
    status: 403,
    meaning: 'The game has reached its storage limit for builds and symbols.',
    remedy: 'Delete builds or symbols you no longer need, or ask an operator for a larger quota.',
  },
  5000: {
    name: 'unexpected',
    status: 500,
    meaning: 'An unexpected error occurred.',
    remedy: 'Try again. If it keeps happening, report the request id to the operator.',
  },
  5020: {
    name: 'symbolsNotStored',
    status: 502,
    meaning: 'The symbol file could not be stored.',
    remedy: 'Upload it again.',
  },
  5070: {
    name: 'storageFull',
    status: 507,
    meaning: 'The server is out of storage space.',
    remedy: 'Try again later, or ask the operator to free some space.',
  },
  5030: {
    name: 'unavailable',
    status: 503,
    meaning: 'The service is temporarily unavailable.',
    remedy: 'Try again in a few seconds.',
  },
} as const satisfies Record<number, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
type CodesByName = { readonly [Code in ErrorCode as (typeof ERRORS)[Code]['name']]: Code };
export type ErrorName = keyof CodesByName;

const ALL = Object.entries(ERRORS).map(([code, { name }]) => [name, Number(code)] as const);

/** The codes by their names. */
export const CODES = Object.fromEntries(ALL) as CodesByName;

/** Every HTTP status that the code can have, the usual one first. */
export function statusesOf(code: ErrorCode): number[] {
  const { status, alsoStatuses = [] }: ErrorEntry = ERRORS[code];
  return [status, ...alsoStatuses];
}

/** Data that a client can act on: the position to resume at, seconds to wait, the index of the invalid item. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/**
 * A failure with a code of the registry: thrown by the server's features, and created by the client from a response.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status of the response. */
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

type NewError = (message?: string, options?: ConstructorParameters<typeof ApiError>[2]) => ApiError;

/** Creates errors by their names, such as `errors.lastOwner()`. The message is the meaning of the code by default. */
export const errors = Object.fromEntries(
  ALL.map(([name, code]) => [name, (...rest: Parameters<NewError>) => new ApiError(code as ErrorCode, ...rest)]),
) as Readonly<Record<ErrorName, NewError>>;

/** Whether it is an ApiError with one of these names. */
export function isError(error: unknown, ...names: readonly ErrorName[]): error is ApiError {
  return error instanceof ApiError && names.some((name) => CODES[name] === error.code);
}

/** Whether `code` is in the registry. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'number' && code in ERRORS;
}
