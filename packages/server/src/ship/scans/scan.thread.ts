// The thread of `examine`: scans one file and returns the report.
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { ExamineInput } from './examine.ts';
import { scanVideo } from './scan-video.ts';
import { scanZip } from './scan-zip.ts';

await answerTask(async ({ blobSettings, key, content, size, os, scanner: options }: ExamineInput) => {
  const store = openBlobStore(blobSettings);
  const scanner = options === null ? null : createClamdScanner(options);
  try {
    return content === 'zip'
      ? await scanZip(store, key, size, scanner, os)
      : await scanVideo(store, key, size, scanner);
  } finally {
    await store.close();
  }
});
