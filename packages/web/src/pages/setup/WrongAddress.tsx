// Shown if the page was opened at another address than the public URL, where people can't sign in: what to set.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getSetup } from '@chauffeur/contract/operations/setup';
import { Text } from '@mantine/core';
import { CopyText } from '../../ui/CopyText.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';

export function WrongAddress({ setup }: { setup: OutputOf<typeof getSetup> }) {
  const { public_url: publicUrl, proxies, open: isOpen } = setup;
  const lines = [
    `CHAUFFEUR_PUBLIC_URL=${location.origin}`,
    ...(proxies > 0 ? [`CHAUFFEUR_TRUST_PROXY=${proxies}`] : []),
  ];
  return (
    <Panel>
      <PageHead title="Set the address of the server" />
      <Text>{`You opened ${location.origin}, but the server expects to be at ${publicUrl}. People can't sign in at another address.`}</Text>
      <Text>If this address is the right one, set these environment variables and restart the server:</Text>
      <CopyText text={lines.join('\n')} label="environment variables" block />
      {isOpen && <Text>It then prints a new link to set it up.</Text>}
    </Panel>
  );
}
