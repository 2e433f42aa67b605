// Playing a web build in the browser: where its files are served, apart from the website.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { FileParams, Nullable, Timestamp } from './fields.ts';

export const getPlay = defineOperation({
  id: 'play.get',
  summary: 'Where a web build is played: the address for a sandboxed frame',
  method: 'GET',
  path: '/public/games/{uid}/files/{file_uid}/play',
  access: 'public',
  params: FileParams,
  output: Type.Object({
    url: Type.String({ description: 'Address of the page to be framed' }),
    sandbox: Type.String({ description: 'For the frame’s attribute `sandbox`' }),
    keeps_saves: Type.Boolean({
      description:
        'Whether the game may keep anything in the browser; only where the operator gave games an origin of their own',
    }),
    expires_at: Nullable({
      ...Timestamp,
      description: 'When the address ends to work; null for a build that anyone may play',
    }),
  }),
  secret: true,
  statuses: [200],
  errors: [4040, 4074, 4092, 4099],
});
