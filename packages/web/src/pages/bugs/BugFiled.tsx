// After a report: its files on their way, each of which can be sent again, and what happens next.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { fileBug } from '@chauffeur/contract/operations/bugs';
import { Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { putFile } from './put-file.ts';

export type Files = { readonly dump: File | null; readonly log: File | null };
export type Filed = {
  readonly bugUid: string;
  readonly uploads: OutputOf<typeof fileBug>['uploads'];
  readonly files: Files;
};

const KINDS = [
  { kind: 'dump', name: 'Crash dump' },
  { kind: 'log', name: 'Log' },
] as const;

export function BugFiled({ filed: { bugUid, uploads, files }, slug }: { filed: Filed; slug: string }) {
  return (
    <Stack gap="md">
      <Text role="status">The report was sent. Its developers find it among their bugs.</Text>
      {KINDS.map(({ kind, name }) => {
        const file = files[kind];
        if (file === null) return null;
        const upload = uploads[kind];
        return upload === undefined ? (
          <Text key={kind} size="sm">
            {name}: not taken, since the game has had many reports today.
          </Text>
        ) : (
          <Sending key={kind} name={name} url={upload.url} file={file} />
        );
      })}
      <div>
        <Text size="sm" c="dimmed">
          Number of the report
        </Text>
        <CopyText text={bugUid} what="number of the report" />
      </div>
      <SiteLink to="/g/$uid" params={{ uid: slug }}>
        Back to the game
      </SiteLink>
    </Stack>
  );
}

function Sending({ name, url, file }: { name: string; url: string; file: File }) {
  const [share, setShare] = useState(0);
  const sending = useMutation({ mutationFn: () => putFile(url, file, setShare) });
  const { mutate } = sending;
  const begun = useRef(false);
  useEffect(() => {
    // The address takes one file: it is sent once, however often this is mounted.
    if (begun.current) return;
    begun.current = true;
    mutate();
  }, [mutate]);
  return (
    <div>
      <Text size="sm" mb={4} role="status">
        {name}: {file.name} {sending.isSuccess ? '– received' : ''}
      </Text>
      {sending.error === null ? (
        <Progress value={sending.isSuccess ? 100 : share * 100} aria-label={`${name}, sent`} />
      ) : (
        <Problem error={sending.error} again={() => mutate()} />
      )}
    </div>
  );
}
