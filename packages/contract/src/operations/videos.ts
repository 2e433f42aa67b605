// Uploaded videos of a game's page, in an order chosen by the developer.
import Type from 'typebox';
import { LIMITS, MIB } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { FilePart, GameParams, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

/** The content types that are stored and served. */
export const VIDEO_TYPES = ['video/mp4', 'video/webm'] as const;

/**
 * The states are those of scans of builds. Players see a video once it is clean, or unscanned because there is no
 * scanner.
 */
export const VIDEO_STATES = ['pending', 'clean', 'infected', 'error', 'unscanned'] as const;

/** A video as players see it. */
export const PublicVideo = Type.Object({
  uid: Uuid,
  url: Type.String({ description: 'URL of the file, which can be requested in ranges' }),
  content_type: Type.Enum([...VIDEO_TYPES]),
  width: Type.Integer({ description: 'In pixels, as it is shown' }),
  height: Type.Integer(),
  duration_seconds: Nullable(Type.Number({ description: 'null if the file does not contain it' })),
  size: Type.Integer({ description: 'Bytes' }),
  uploaded_at: Timestamp,
});

const Video = Type.Object({
  ...PublicVideo.properties,
  filename: Type.String(),
  position: Type.Integer({ description: 'Position on the page, from 0' }),
  status: Type.Enum([...VIDEO_STATES], {
    description: 'State of the virus scan. Only clean and unscanned videos are shown to players.',
  }),
  detail: Nullable(Type.String({ description: 'Why the video was rejected' })),
});

const VideoSet = Type.Object({
  videos: Type.Array(Video, { maxItems: LIMITS.videoFiles, description: 'In the order of the page' }),
});

export const listVideos = defineOperation({
  id: 'videos.list',
  summary: "List the uploaded videos of the deploy key's game and the states of their scans",
  method: 'GET',
  path: '/tool/videos',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  output: VideoSet,
  statuses: [200],
  errors: [],
});

const ADD_ERRORS = [
  'notFound',
  'fileNotSaved',
  'ownerNotVerified',
  'invalidMedia',
  'mediaFull',
  'videoRefused',
  'limitReached',
  'storageLimitReached',
] as const;

export const addVideo = defineOperation({
  id: 'videos.add',
  summary: `Upload a video, which players see once it has been scanned; a game has at most ${LIMITS.videoFiles}`,
  method: 'POST',
  path: '/tool/videos',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  bodyKind: 'multipart',
  body: Type.Object({
    file: FilePart('video/*', `An MP4 or WebM of at most ${LIMITS.videoBytes / MIB} MB`),
  }),
  output: Type.Object({ added: Video, ...VideoSet.properties }),
  statuses: [201],
  invalid: 'invalidMedia',
  errors: ADD_ERRORS,
});

export const deleteVideo = defineOperation({
  id: 'videos.delete',
  summary: 'Delete a video',
  method: 'DELETE',
  path: '/tool/videos/{uid}',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  params: Type.Object({ uid: Uuid }),
  output: VideoSet,
  statuses: [200],
  errors: ['notFound'],
});

export const orderVideos = defineOperation({
  id: 'videos.order',
  summary: 'Set the order of the videos',
  method: 'PUT',
  path: '/tool/videos/order',
  access: 'deploy_key',
  uploadScope: 'media',
  role: 'developer',
  body: Type.Object({ order: Type.Array(Uuid, { maxItems: 100 }) }),
  output: VideoSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['wrongOrder'],
});

export const listGameVideos = defineOperation({
  id: 'videos.listOfGame',
  summary: "List a game's uploaded videos and the states of their scans",
  method: 'GET',
  path: '/games/{uid}/videos',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: VideoSet,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_videos',
    when: "Use it to see the videos that were uploaded for a game's page, why one was rejected, and to find the uid of one.",
    scope: 'mcp:read',
  },
});

export const addGameVideo = defineOperation({
  id: 'videos.addToGame',
  summary: 'Upload a video, as a signed-in developer',
  method: 'POST',
  path: '/games/{uid}/videos',
  access: 'account',
  role: 'developer',
  params: GameParams,
  bodyKind: 'multipart',
  body: addVideo.body!,
  output: addVideo.output!,
  statuses: [201],
  invalid: 'invalidMedia',
  errors: ADD_ERRORS,
});

export const deleteGameVideo = defineOperation({
  id: 'videos.deleteOfGame',
  summary: 'Delete a video, as a signed-in developer',
  method: 'DELETE',
  path: '/games/{uid}/videos/{video}',
  access: 'account',
  role: 'developer',
  params: Type.Object({ uid: GameRef, video: Uuid }),
  output: VideoSet,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'delete_video',
    when: 'Use it when the user asks to remove an uploaded video. Call list_videos first to find the right one.',
    scope: 'mcp:write',
  },
});

export const orderGameVideos = defineOperation({
  id: 'videos.orderOfGame',
  summary: 'Set the order of the videos, as a signed-in developer',
  method: 'PUT',
  path: '/games/{uid}/videos/order',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: orderVideos.body!,
  output: VideoSet,
  statuses: [200],
  invalid: 'invalidMedia',
  errors: ['notFound', 'wrongOrder'],
});

export const downloadVideo = defineOperation({
  id: 'videos.download',
  summary: 'Download a video, whole or a range of it',
  method: 'GET',
  path: '/public/videos/{uid}',
  access: 'public',
  tokenScope: 'games:read',
  params: Type.Object({ uid: Uuid }),
  answerTypes: [...VIDEO_TYPES],
  asset: true,
  statuses: [200, 206, 304],
  errors: ['notFound'],
});
