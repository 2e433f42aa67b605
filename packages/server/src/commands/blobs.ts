// `blobs copy`: copies the blobs to another store, before the server is switched to it.
import { copyBlobs } from '../operate/backups/copy-blobs.ts';
import { withStore } from './with-store.ts';

type Options = { from: string; to: string; json: boolean };

export async function runBlobsCopy({ from, to, json }: Options): Promise<void> {
  const result = await withStore(from, { what: 'the copy' }, (source) =>
    withStore(to, { what: 'the copy' }, (target) =>
      copyBlobs(source, target, ({ copied, present }) => {
        if (!json) process.stdout.write(`copied ${copied}, already there ${present}\n`);
      }),
    ),
  );
  const { copied, present } = result;
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `copied=${copied}\npresent=${present}\n`);
}
