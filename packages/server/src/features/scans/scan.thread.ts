// The thread of `examine`: scans one zip and returns the report.
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { ExamineInput } from './examine.ts';
import { scanZip } from './scan-zip.ts';

await answerTask(async ({ blobSettings, key, size, os, scanner }: ExamineInput) => {
  const store = openBlobStore(blobSettings);
  try {
    return await scanZip(store, key, size, scanner === null ? null : createClamdScanner(scanner), os);
  } finally {
    await store.close();
  }
});
