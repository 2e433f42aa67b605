// Store images: cover, thumbnail and the ordered gallery of screenshots.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { FilePart, GameParams, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

export const MediaKind = Type.Enum(['cover', 'thumbnail', 'screenshot']);

/** The kinds accepted from clients. */
export const MediaKindInput = Type.Enum(['cover', 'thumbnail', 'screenshot', 'gallery'], {
  description: 'gallery is an alias of screenshot',
});

export const MediaImage = Type.Object({
  uid: Uuid,
  kind: MediaKind,
  filename: Type.String(),
  content_type: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  size: Type.Integer({ description: 'Bytes' }),
  url: Type.String({ description: 'URL of the image' }),
  position: Type.Integer({ description: 'Position in the gallery, from 0; 0 for cover and thumbnail' }),
  copies: Type.Array(
    Type.Object({
      width: Type.Integer(),
      height: Type.Integer(),
      size: Type.Integer({ description: 'Bytes' }),
      url: Type.String({ description: 'URL of the copy' }),
    }),
    { description: 'Smaller copies in WebP, smallest first; none for animated images' },
  ),
  uploaded_at: Timestamp,
});

const MediaSet = Type.Object({
  cover: Nullable(MediaImage),
  thumbnail: Nullable(MediaImage),
  gallery: Type.Array(MediaImage),
});

const ImageUrl = Nullable(Type.String({ description: 'URL of the image' }));

/** The URLs that older clients print for the cover and the thumbnail, and all images. */
const MediaList = Type.Object({
  cover: ImageUrl,
  thumbnail: ImageUrl,
  gallery: Type.Array(MediaImage),
  images: Type.Array(MediaImage, {
    description: 'All images: the cover, the thumbnail, then the gallery in order',
  }),
});

export const listMedia = defineOperation({
  id: 'media.list',
  summary: "List the store images of the deploy key's game, with the gallery in order",
  method: 'GET',
  path: '/tool/media',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  output: MediaList,
  statuses: [200],
  errors: [],
});

export const addMedia = defineOperation({
  id: 'media.add',
  summary: 'Upload the cover or the thumbnail, replacing the current one, or up to 10 screenshots',
  method: 'POST',
  path: '/tool/media',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  bodyKind: 'multipart',
  body: Type.Object({
    kind: MediaKindInput,
    file: Type.Array(FilePart('image/*', 'A PNG, JPEG, GIF or WebP'), {
      minItems: 1,
      maxItems: LIMITS.imagesPerRequest,
      description: 'One part per image; only screenshots can be uploaded several at a time',
    }),
  }),
  output: Type.Object({ added: Type.Array(MediaImage), ...MediaSet.properties }),
  statuses: [201],
  invalid: 'invalidMedia',
  errors: ['ownerNotVerified', 'invalidMedia', 'imageRefused', 'mediaFull', 'limitReached'],
});

export const deleteMedia = defineOperation({
  id: 'media.delete',
  summary: 'Delete a screenshot by its uid, or the cover or the thumbnail by its kind',
  method: 'DELETE',
  path: '/tool/media/{uid}',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  params: Type.Object({ uid: Type.String({ maxLength: 64 }) }),
  output: MediaSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['notFound', 'imageNeeded'],
});

export const orderMedia = defineOperation({
  id: 'media.order',
  summary: 'Set the order of the gallery',
  method: 'PUT',
  path: '/tool/media/order',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  body: Type.Object({ order: Type.Array(Uuid, { maxItems: 100 }) }),
  output: MediaSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['wrongOrder'],
});

export const listGameMedia = defineOperation({
  id: 'media.listOfGame',
  summary: "List a game's store images, with the gallery in order",
  method: 'GET',
  path: '/games/{uid}/media',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: MediaSet,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_media',
    when: 'Use it to see which store images are missing, and to find the uid of a screenshot.',
    scope: 'mcp:read',
  },
});

export const addGameMedia = defineOperation({
  id: 'media.addToGame',
  summary:
    'Upload the cover or the thumbnail, replacing the current one, or up to 10 screenshots, as a signed-in developer',
  method: 'POST',
  path: '/games/{uid}/media',
  access: 'account',
  role: 'developer',
  params: GameParams,
  bodyKind: 'multipart',
  body: addMedia.body!,
  output: addMedia.output!,
  statuses: [201],
  invalid: 'invalidMedia',
  errors: ['notFound', 'ownerNotVerified', 'invalidMedia', 'imageRefused', 'mediaFull', 'limitReached'],
});

export const deleteGameMedia = defineOperation({
  id: 'media.deleteOfGame',
  summary: 'Delete a screenshot by its uid, or the cover or the thumbnail by its kind, as a signed-in developer',
  method: 'DELETE',
  path: '/games/{uid}/media/{image}',
  access: 'account',
  role: 'developer',
  params: Type.Object({ uid: GameRef, image: Type.String({ maxLength: 64 }) }),
  output: MediaSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['notFound', 'imageNeeded'],
  mcp: {
    tool: 'delete_media',
    when: 'Use it when the user asks to remove a store image. Call list_media first to find the right one.',
    scope: 'mcp:write',
  },
});

export const orderGameMedia = defineOperation({
  id: 'media.orderOfGame',
  summary: 'Set the order of the gallery, as a signed-in developer',
  method: 'PUT',
  path: '/games/{uid}/media/order',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: orderMedia.body!,
  output: MediaSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['notFound', 'wrongOrder'],
});

export const downloadMedia = defineOperation({
  id: 'media.download',
  summary: 'Download a store image or one of its copies',
  method: 'GET',
  path: '/public/media/{uid}',
  access: 'public',
  tokenScope: 'games:read',
  params: Type.Object({ uid: Uuid }),
  query: Type.Object({
    width: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Width of the copy in pixels' })),
  }),
  answerTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  asset: true,
  statuses: [200, 206, 304],
  errors: ['notFound'],
});
