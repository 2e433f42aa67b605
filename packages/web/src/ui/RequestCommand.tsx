// A command that sends a request, for the shell that the visitor chooses.
import { type JsonRequest, postCommand, type Shell } from '@chauffeur/contract/shell';
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { Choice } from './Choice.tsx';
import { CopyText } from './CopyText.tsx';
import { guessOs } from './platforms.ts';
import { SHELLS } from './shells.ts';

export function RequestCommand({ request, label }: { request: JsonRequest; label: string }) {
  const [shell, setShell] = useState<Shell>(guessOs(navigator.userAgent) === 'windows' ? 'powershell' : 'sh');
  return (
    <Stack gap="xs">
      <Choice label="Shell" value={shell} choices={SHELLS} onChange={setShell} />
      <CopyText text={postCommand(request, shell)} label={label} block />
    </Stack>
  );
}
