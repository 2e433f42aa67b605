// Breakpad symbols of a build, sent with the deploy key.
import Type from 'typebox';
import { ChecksumInput } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import { Uuid } from './fields.ts';

export const uploadSymbols = defineOperation({
  id: 'symbols.upload',
  summary: 'Upload one Breakpad .sym file, or a zip of them, for a build',
  method: 'POST',
  path: '/tool/upload/symbols',
  host: 'upload',
  access: 'deploy_key',
  bodyKind: 'multipart',
  body: Type.Object({
    build_id: Uuid,
    checksum: ChecksumInput,
    file: Type.Unsafe<Blob>(Type.String({ format: 'binary' })),
  }),
  output: Type.Object({
    symbols: Type.Array(Type.Object({ symbol_uid: Uuid, module: Type.String(), debug_id: Type.String() })),
  }),
  statuses: [201],
  invalid: 4037,
  errors: [4037, 4038, 4039, 4043, 4046, 4290],
});
