// The thread of `checkMapping`: reads one file as it will be read for reports, so that a malformed one never is.
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MappingError } from '@chauffeur/sentry/mappings/error';
import { Il2cppLines } from '@chauffeur/sentry/mappings/il2cpp';
import { ProguardMapping } from '@chauffeur/sentry/mappings/proguard';
import { SourceMap } from '@chauffeur/sentry/mappings/source-map';
import { openBlobStore } from '../../../kernel/blobs/open.ts';
import { answerTask } from '../../../kernel/threads/threads.ts';
import type { CheckInput, CheckResult } from './check.job.ts';

await answerTask(async ({ blobSettings, kind, blobKey }: CheckInput): Promise<CheckResult> => {
  const store = openBlobStore(blobSettings);
  try {
    const gunzip = createGunzip();
    // Errors reach the reader of the output.
    pipeline(await store.read(blobKey), gunzip).catch(() => undefined);
    const text = (await buffer(gunzip)).toString();
    if (kind === 'source_map') new SourceMap(text);
    else if (kind === 'proguard') new ProguardMapping(text);
    else if (kind === 'il2cpp') new Il2cppLines(text);
    return { problem: null };
  } catch (error) {
    if (error instanceof MappingError) return { problem: error.message };
    throw error;
  } finally {
    await store.close();
  }
});
