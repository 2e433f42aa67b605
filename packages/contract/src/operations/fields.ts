// Schemas shared by several features: identifiers, times, pages.
import Type, { type TSchema } from 'typebox';
import { defineForm } from '../forms.ts';
import { LIMITS } from '../limits.ts';
import { ROLE_NAMES } from '../roles.ts';
import { LINE_HIDDEN, LINE_PATTERN, TEXT_PATTERN } from '../text.ts';
import { WEB_ADDRESS_PATTERN } from '../web-address.ts';

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const Uuid = Type.String(defineForm({ pattern: UUID, description: 'a UUID' }));
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 time in UTC, with milliseconds' });
export const Sha256 = Type.String({ description: 'SHA-256 as 64 lowercase hex digits' });
// A slug in the form of a UUID is excluded: it would be read as a uid, and the game would never be found.
export const SLUG_PATTERN = `^(?!${UUID.slice(1)})[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$`;

export const Slug = Type.String({
  pattern: SLUG_PATTERN,
  description: 'Slug: 3 to 64 lowercase letters, digits and -, not in the form of a UUID',
});
export const GameRef = Type.String(
  defineForm({ pattern: `${UUID}|${SLUG_PATTERN}`, description: 'a game uid or slug' }),
);
export const GameParams = Type.Object({ uid: GameRef });
export const BuildParams = Type.Object({ uid: GameRef, build_id: Uuid });
export const CrashParams = Type.Object({ uid: GameRef, crash_id: Uuid });
export const FileParams = Type.Object({ uid: GameRef, file_uid: Uuid });

/** A file, and the older one that a client has. */
export const FilePairParams = Type.Object({
  uid: GameRef,
  file_uid: Uuid,
  from_file_uid: { ...Uuid, description: 'The file that is installed' },
});

/** The token of a link in an email that needs no account. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 1000, description: 'From the link in the email' });

/** Where the visitor came from, for statistics of downloads and plays that begin on a page of the game. */
export const ReferrerQuery = Type.Object({
  referrer: Type.Optional(
    Type.String({
      maxLength: LIMITS.hostLength,
      description: "Host of the website whose link led to the game's page, for its statistics; others are ignored",
    }),
  ),
});

/** Also the form of a game's uid or slug. */
export const OrganisationRef = Type.String({ ...GameRef, description: 'the uid or slug of an organisation' });
export const OrganisationParams = Type.Object({ organisation: OrganisationRef });

export const RoleName = Type.Enum([...ROLE_NAMES], { description: 'Each role may do what all lower roles may do' });

export const PageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'Page, from 1' })),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.pageSize, description: 'Items per page; 20 by default' }),
  ),
};

/** Parameters of a list where each page starts after the last item of the previous one. */
export const CursorQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: LIMITS.cursorLength, description: 'next_cursor of the previous page' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageSize })),
};

export const PageInfo = Type.Object({ page: Type.Integer(), page_size: Type.Integer(), total: Type.Integer() });

/** Parameters of lists that return all items, and no cursor, unless a limit is given. */
export const WholeQuery = {
  cursor: CursorQuery.cursor,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.wholeListPage, description: 'Maximum number of items; all by default' }),
  ),
};

/** A part of a form with a file of the content type. */
export function FilePart(contentType: string, description: string) {
  return Type.Unsafe<Blob>(Type.String({ format: 'binary', contentMediaType: contentType, description }));
}

/** The ids that clients give to devices, sessions and events. */
export const CLIENT_ID_PATTERN = `^[!-~]{1,${LIMITS.eventIdLength}}$`;

const CLIENT_ID = defineForm({
  pattern: CLIENT_ID_PATTERN,
  description: `1 to ${LIMITS.eventIdLength} printable ASCII characters without spaces`,
});

export const ClientId = (meaning: string) =>
  Type.String({ ...CLIENT_ID, description: `${meaning}: ${CLIENT_ID.description}` });

/** The game and the build of reports and events, which need no secret. */
export const SenderHeaders = Type.Object({
  'X-App-Id': Type.Optional(Type.String({ description: "The game's uid or slug; required unless app_id is sent" })),
  'X-Build-Id': Type.Optional(
    Type.String({ description: 'The build_id of the exact build; required unless build_id is sent in the query' }),
  ),
});
export const SenderQuery = Type.Object({
  app_id: Type.Optional(Type.String({ description: "The game's uid or slug, for clients that cannot set X-App-Id" })),
  build_id: Type.Optional(
    Type.String({ description: 'The build_id of the exact build, for clients that cannot set X-Build-Id' }),
  ),
});

type TextOptions = { readonly maxLength: number; readonly minLength?: number };

/** A name, or another text in one line, that other people see. `meaning` is a noun without an article. */
export function Line(meaning: string, options: TextOptions) {
  const rule = 'one line without control, invisible or text direction characters';
  return Type.String({ ...options, pattern: LINE_PATTERN, description: `${meaning}: ${rule}` });
}

/** A text of several lines that other people see. */
export function Text(meaning: string, options: TextOptions) {
  const rule = 'text without control or text direction characters';
  return Type.String({ ...options, pattern: TEXT_PATTERN, description: `${meaning}: ${rule}` });
}

/** An address that others open, or that the server calls. */
export function WebAddress(meaning: string, maxLength: number) {
  const rule = 'an address that begins with https:// and has no user name';
  return Type.String({ maxLength, pattern: WEB_ADDRESS_PATTERN, description: `${meaning}: ${rule}` });
}

/**
 * A single address: no characters that separate addresses in an email header, and no invisible characters.
 */
const ADDRESS_PART = `[^\\s@<>()\\[\\],;:\\\\"\\u200c\\u200d${LINE_HIDDEN}]+`;

/** Needs the flag `u`. */
export const EMAIL_PATTERN = `^${ADDRESS_PART}@${ADDRESS_PART}$`;

export const Email = Type.String({
  minLength: 3,
  maxLength: LIMITS.emailLength,
  ...defineForm({ pattern: EMAIL_PATTERN, description: 'an email address' }),
});

/** `T` or null. */
export function Nullable<S extends Parameters<typeof Type.Union>[0][number]>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export const NextCursor = Nullable(Type.String({ description: 'cursor of the next page; null on the last page' }));

/** What can be wrong with a form that contains files of a build. */
export const BUILD_FORM_ERRORS = [
  'unreadableForm',
  'missingBuildId',
  'unknownBuildOfFile',
  'invalidFile',
  'tooLarge',
] as const;

const UNTRUSTED = 'untrusted: from players, games or files';

/**
 * A text written by players, their devices or files. It must be marked as untrusted wherever an agent reads it, because
 * it can contain instructions.
 */
export function Foreign<S extends TSchema & { description?: string }>(schema: S): S {
  const { description } = schema;
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, {
    'x-untrusted': true,
    description: description === undefined ? UNTRUSTED : `${description} (${UNTRUSTED})`,
  });
}
