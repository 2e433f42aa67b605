// Backup codes, shown once after they were created. Until they were copied or saved, the visitor is asked before leaving.
import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { SecretWarning } from '../../ui/SecretWarning.tsx';
import { useCopy } from '../../ui/use-copy.ts';

const LABELS = { idle: 'Copy codes', copied: 'Copied', failed: 'Copy failed' } as const;

export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { state, copy } = useCopy();
  const [isCopied, setCopied] = useState(false);
  const press = async () => {
    if (await copy(codes.join('\n'))) setCopied(true);
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Save these backup codes where you keep your passwords. If you lose your phone, each code lets you sign in once.
        You won't see them again.
      </Text>
      <SimpleGrid cols={2} spacing="xs" role="list" aria-label="Backup codes" onCopy={() => setCopied(true)}>
        {codes.map((code) => (
          <Code key={code} role="listitem">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group gap="sm">
        <Button onClick={onDone}>I saved the codes</Button>
        <Button variant="default" aria-live="polite" onClick={() => void press()}>
          {LABELS[state]}
        </Button>
      </Group>
      <SecretWarning isActive={!isCopied} label="backup codes" />
    </Stack>
  );
}
