// A deploy key just issued: the only time that its secret is shown.
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice } from '../../ui/Notice.tsx';
import type { FreshKey } from '../games/first-build.ts';

export function IssuedKey({ issued }: { issued: FreshKey }) {
  return (
    <Notice tone="unsure" title="Copy the secret now: it is not shown again">
      <div>
        <Text size="sm">Access token</Text>
        <CopyText text={issued.access_token} what="access token" whole />
      </div>
      <div>
        <Text size="sm">Secret key</Text>
        <CopyText text={issued.secret_key} what="secret key" whole />
      </div>
    </Notice>
  );
}
