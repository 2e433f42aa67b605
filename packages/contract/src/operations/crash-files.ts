// The files of crash reports: attachments, which are named files such as screenshots, and links to download any file.

import Type, { type Static } from 'typebox';
import { LIMITS, MIB } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { LINE_HIDDEN } from '../text.ts';
import { CrashParams, Foreign, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

const ATTACHMENT_KINDS = ['image', 'text', 'other'] as const;

export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** A name without folders, and without characters that are invisible or change the direction of text. */
const NAME_PATTERN = String.raw`^(?!\.{1,2}$)[^/\\${LINE_HIDDEN}]+$`;

/** What a client announces about an attachment that it is going to upload. */
export const AttachmentInput = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: LIMITS.attachmentNameLength,
    pattern: NAME_PATTERN,
    description: 'Name of the file, without folders; each name once',
  }),
  content_type: Type.Optional(
    Type.String({ maxLength: 255, description: 'Not needed: the kind is detected from the content' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0, description: 'In bytes, to learn early that a file is too large' })),
});

export const CrashAttachment = Type.Object({
  attachment: Type.Integer({ description: 'Number of the attachment in the report, from 0' }),
  name: Foreign(Type.String()),
  kind: Type.Enum([...ATTACHMENT_KINDS], { description: 'Detected from the content' }),
  size: Type.Integer({ description: 'In bytes; 0 until it has arrived' }),
  has_arrived: Type.Boolean({ description: 'Whether the file was uploaded' }),
  image: Nullable(
    Type.Object(
      { width: Type.Integer(), height: Type.Integer() },
      { description: 'The encoded image; null if there is none, or not yet' },
    ),
  ),
  problem: Nullable(Type.String({ description: 'Why an image cannot be shown' })),
});

export type CrashAttachment = Static<typeof CrashAttachment>;

const AttachmentParams = Type.Object({
  uid: GameRef,
  crash_id: Uuid,
  attachment: Type.String({ pattern: '^[0-9]{1,2}$', description: 'Number of the attachment in the report, from 0' }),
});

export const getCrashAttachment = defineOperation({
  id: 'crashes.getAttachment',
  summary: 'Get the end of an attachment that is a text, without the names of user folders',
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/attachments/{attachment}',
  access: 'account',
  role: 'triager',
  params: AttachmentParams,
  output: Type.Object({
    text: Foreign(
      Type.String({
        description: `At most the last ${LIMITS.crashLogShownBytes} bytes, starting at the beginning of a line`,
      }),
    ),
    size: Type.Integer({ description: 'Size of the whole file in bytes' }),
    is_cut: Type.Boolean({ description: 'Whether the beginning was left out' }),
  }),
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const getCrashAttachmentImage = defineOperation({
  id: 'crashes.getAttachmentImage',
  summary: `Get an attachment that is an image, encoded again as WebP; originals of up to ${LIMITS.crashAttachmentBytes / MIB} MiB can be downloaded`,
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/attachments/{attachment}/image',
  access: 'account',
  role: 'triager',
  params: AttachmentParams,
  answerTypes: ['image/webp'],
  statuses: [200, 206, 304],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const DOWNLOAD_KINDS = ['stack', 'log', 'dump'] as const;

const LINK_KINDS = [...DOWNLOAD_KINDS, 'attachment'] as const;

export type DownloadKind = (typeof DOWNLOAD_KINDS)[number];

export type LinkKind = (typeof LINK_KINDS)[number];

export const requestCrashDownload = defineOperation({
  id: 'crashes.requestDownload',
  summary: 'Create a private link, valid for one hour, to the stack, log, dump or an attachment of a report',
  method: 'POST',
  path: '/games/{uid}/crashes/{crash_id}/downloads',
  access: 'account',
  tokenScope: 'crashes:read',
  role: 'triager',
  params: CrashParams,
  body: Type.Object({
    kind: Type.Enum([...LINK_KINDS]),
    attachment: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.crashAttachments - 1,
        description: 'With the kind attachment: its number in the report, from 0',
      }),
    ),
  }),
  output: Type.Object({ url: Type.String(), expires_at: Timestamp, filename: Type.String() }),
  secret: true,
  statuses: [201],
  errors: ['notFound', 'noSuchCrashFile'],
  mcp: {
    tool: 'request_crash_download',
    when: 'Use it only if get_crash does not contain enough, for the whole stack, the log, the dump or an attachment.',
    scope: 'mcp:read',
    idempotent: true,
  },
});

export const downloadCrashFile = defineOperation({
  id: 'crashes.download',
  summary: 'Download the file of a private link',
  method: 'GET',
  path: '/crash-downloads/{token}',
  access: 'public',
  params: Type.Object({ token: Type.String({ maxLength: 512 }) }),
  answerTypes: ['text/plain', 'application/octet-stream'],
  secret: true,
  statuses: [200, 206, 304],
  errors: ['notFound', 'noSuchCrashFile'],
});
