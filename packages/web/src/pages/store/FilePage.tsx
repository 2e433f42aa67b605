// The record of a file: its origin, its scans, and every entry with its checksum.
import { ApiError } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Bytes } from '../../ui/Bytes.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { formatSource } from './badge.ts';
import { FileEntries } from './FileEntries.tsx';
import classes from './FilePage.module.css';
import { ScanHistory } from './ScanHistory.tsx';
import { gameQuery, provenanceQuery } from './store-queries.ts';

type Provenance = OutputOf<typeof getProvenance>;

const route = getRouteApi('/g/$uid/files/$file_uid');

export function FilePage() {
  const { uid, file_uid } = route.useParams();
  const { data: file, error, refetch } = useQuery(provenanceQuery(uid, file_uid));
  const { data: game } = useQuery(gameQuery(uid));
  useTitle(file === undefined ? undefined : `File record: ${file.filename}`);
  if (error instanceof ApiError && [4040, 4002].includes(error.code)) return <UnknownPage />;
  if (error instanceof ApiError && error.code === 4074) return <NoLongerOffered uid={uid} />;
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="xl">
      <header className={classes.head}>
        <SiteLink to="/g/$uid" params={{ uid }} size="sm">
          {game?.name ?? 'Back to game'}
        </SiteLink>
        <Title order={1} size="h2">
          {file?.filename ?? 'File record'}
        </Title>
        <Text c="dimmed" size="sm">
          Where this download came from and what its scans found.
        </Text>
      </header>
      {file === undefined ? <Skeleton h={320} aria-label="Loading file record" /> : <FileRecord file={file} />}
    </Stack>
  );
}

function FileRecord({ file }: { file: Provenance }) {
  return (
    <>
      <div className={classes.columns}>
        <section aria-labelledby="origin">
          <Title order={2} size="h4" mb="sm" id="origin">
            Origin
          </Title>
          <Facts file={file} />
        </section>
        <section aria-labelledby="scans">
          <Title order={2} size="h4" mb="sm" id="scans">
            Scans
          </Title>
          <ScanHistory events={file.scan.history} />
        </section>
      </div>
      <FileEntries entries={file.entries} />
    </>
  );
}

function Facts({ file }: { file: Provenance }) {
  return (
    <dl className={classes.facts}>
      <dt>Source</dt>
      <dd>{formatSource(file.origin)}</dd>
      <dt>Uploaded</dt>
      <dd>
        <Time at={file.uploaded_at} />
      </dd>
      <dt>Build</dt>
      <dd>
        {file.version} for {formatPlatform(file)}
      </dd>
      <dt>Channel</dt>
      <dd>{file.channel}</dd>
      <dt>Build ID</dt>
      <dd>
        <CopyText text={file.build_id} label="build ID" />
      </dd>
      <dt>Size</dt>
      <dd>
        <Bytes count={file.size} />
      </dd>
      <dt>SHA-256</dt>
      <dd>
        <CopyText text={file.checksum} label="checksum" />
      </dd>
    </dl>
  );
}

function NoLongerOffered({ uid }: { uid: string }) {
  useTitle('File not available');
  return (
    <Stack gap="sm" py="xl">
      <Title order={1} size="h2">
        This file isn't available
      </Title>
      <Text>It may have been replaced by a newer build, or you may not be in its channel.</Text>
      <SiteLink to="/g/$uid" params={{ uid }}>
        See current downloads
      </SiteLink>
    </Stack>
  );
}
