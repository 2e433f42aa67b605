// Backup codes, shown once after they were created.
import { Button, Code, SimpleGrid, Stack, Text } from '@mantine/core';

export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Save these backup codes where you keep passwords. Each of them signs you in once if you lose your phone. They
        are shown only now.
      </Text>
      <SimpleGrid cols={2} spacing="xs" role="list" aria-label="Backup codes">
        {codes.map((code) => (
          <Code key={code} role="listitem">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Button onClick={onDone}>I saved the codes</Button>
    </Stack>
  );
}
