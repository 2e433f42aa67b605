// Playing a web build in the browser, where its files are served apart from the website.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { FileParams, Nullable, ReferrerQuery, Timestamp } from './fields.ts';

const FrameFields = {
  url: Type.String({ description: 'URL for the frame' }),
  sandbox: Type.String({ description: "Value of the frame's `sandbox` attribute" }),
};

export const getPlay = defineOperation({
  id: 'play.get',
  summary: 'Get the URL to play a web build in a sandboxed frame',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/play',
  access: 'public',
  params: FileParams,
  query: ReferrerQuery,
  output: Type.Object({
    ...FrameFields,
    keeps_saves: Type.Boolean({
      description: 'Whether the game has an origin for itself at `url`, and so can store data in the browser',
    }),
    fallback: Nullable(
      Type.Object(FrameFields, {
        description:
          'For browsers that cannot reach the host of `url`: the game in a sandbox without an origin; null if there is no other URL',
      }),
    ),
    expires_at: Nullable({
      ...Timestamp,
      description: 'When the URL expires; null if anyone can play the build',
    }),
  }),
  secret: true,
  statuses: [200],
  errors: ['notFound', 'notOnChannel', 'notPlayable', 'notClean'],
});
