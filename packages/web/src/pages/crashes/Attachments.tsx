// The attachments of a report: images as thumbnails, the ends of texts, and buttons to download the originals.
import { formatBytes } from '@chauffeur/contract/format';
import { type CrashAttachment, getCrashAttachment } from '@chauffeur/contract/operations/crash-attachments';
import { requestCrashDownload } from '@chauffeur/contract/operations/crashes';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './attachments.module.css';
import { FoldedSection } from './FoldedSection.tsx';
import { LogText } from './LogText.tsx';
import type { Crash } from './use-crash.ts';

type AttachmentsProps = { game: OpenGame; crash: Crash };

export function Attachments({ game, crash }: AttachmentsProps) {
  return (
    <Section title="Attachments">
      <ul className={classes.files}>
        {crash.attachments.map((attachment) => (
          <li key={attachment.attachment}>
            <File gameUid={game.game_uid} crashId={crash.crash_id} file={attachment} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type FileProps = { gameUid: string; crashId: string; file: CrashAttachment };

function File({ gameUid, crashId, file }: FileProps) {
  const download = useMutation({
    mutationFn: () =>
      call(requestCrashDownload, {
        uid: gameUid,
        crash_id: crashId,
        kind: 'attachment',
        attachment: file.attachment,
      }),
    // The response is a file, so the browser stays on this page.
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Stack gap={4}>
      {file.image !== null && <Picture gameUid={gameUid} crashId={crashId} file={file} image={file.image} />}
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="sm" className={classes.name}>
          {file.name}{' '}
          <Text span size="sm" c="dimmed">
            {formatState(file)}
          </Text>
        </Text>
        {file.has_arrived && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Download ${file.name}`}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            ↓
          </Button>
        )}
      </Group>
      {file.problem !== null && <Text size="sm">{file.problem}</Text>}
      {download.error !== null && <Problem error={download.error} onRetry={() => download.mutate()} />}
      {file.kind === 'text' && file.has_arrived && file.size > 0 && (
        <FoldedSection title="Show text">
          <TextEnd gameUid={gameUid} crashId={crashId} file={file} />
        </FoldedSection>
      )}
    </Stack>
  );
}

function formatState({ has_arrived, size, kind, image, problem }: CrashAttachment): string {
  if (!has_arrived) return 'not uploaded yet';
  const isWaiting = kind === 'image' && image === null && problem === null;
  return isWaiting ? `${formatBytes(size)}, preparing the image` : formatBytes(size);
}

function Picture({ gameUid, crashId, file, image }: FileProps & { image: NonNullable<CrashAttachment['image']> }) {
  const url = `/api/v1/games/${gameUid}/crashes/${crashId}/attachments/${file.attachment}/image`;
  return (
    <a href={url} target="_blank" rel="noreferrer" className={classes.picture}>
      <img src={url} alt={`Attachment ${file.name}`} width={image.width} height={image.height} loading="lazy" />
    </a>
  );
}

function TextEnd({ gameUid, crashId, file }: FileProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashAttachment, { uid: gameUid, crash_id: crashId, attachment: String(file.attachment) }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={120} />;
  return <LogText {...data} label={`End of ${file.name}`} kind="file" />;
}
