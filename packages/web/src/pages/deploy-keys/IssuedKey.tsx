// A new deploy key. Its secret is shown only here.
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { SecretText } from '../../ui/SecretText.tsx';
import type { FreshKey } from '../games/first-build.ts';

export function IssuedKey({ issued }: { issued: FreshKey }) {
  return (
    <Notice tone="unsure" title="Copy the secret key now. You won't see it again.">
      <div>
        <Text size="sm">Access token</Text>
        <CopyText text={issued.access_token} label="access token" block />
      </div>
      <div>
        <Text size="sm">Secret key</Text>
        <SecretText text={issued.secret_key} label="secret key" />
      </div>
    </Notice>
  );
}
