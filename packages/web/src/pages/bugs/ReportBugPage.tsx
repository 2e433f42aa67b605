// The page on which a player reports a bug to the developer, with an optional crash dump and log.
import { isError } from '@chauffeur/contract/errors';
import { MAX_IMAGE_BYTES } from '@chauffeur/contract/image-rules';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { fileBug, fileBugAsGuest } from '@chauffeur/contract/operations/bugs';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { formatFriendlyPlatform } from '@chauffeur/contract/texts/download-texts';
import {
  Anchor,
  Button,
  FileInput,
  Progress,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { upload } from '../../file-transfer.ts';
import { useTitle } from '../../frame/page-title.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { session } from '../../session.ts';
import { rich, t, texts } from '../../texts.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { UnsavedWarning } from '../../ui/UnsavedWarning.tsx';
import { publicGameQuery } from '../play/public-game.ts';

const route = getRouteApi('/g/$uid/report');

export function ReportBugPage() {
  const { uid } = route.useParams();
  const { data: game, error, refetch } = useQuery(publicGameQuery(uid));
  useTitle(game === undefined ? undefined : t('bug.title', { game: game.name }));
  if (isError(error, 'notFound', 'invalid')) return <UnknownPage />;
  return (
    <Panel>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {game === undefined ? error === null && <Skeleton h={360} /> : <Report game={game} />}
    </Panel>
  );
}

function Report({ game }: { game: OutputOf<typeof getPublicGame> }) {
  const [filed, setFiled] = useState<Filed | null>(null);
  const { data: person, isPending } = useQuery(session);
  const isGuest = person == null;
  return (
    <>
      <div>
        <Anchor href={`/g/${game.slug}`} size="sm">
          {game.name}
        </Anchor>
        <Title order={1} size="h2">
          {t('bug.heading')}
        </Title>
      </div>
      {filed !== null && <BugFiled filed={filed} slug={game.slug} />}
      {filed === null && isPending && <Skeleton h={360} />}
      {filed === null && !isPending && (
        <>
          {isGuest && <SignInHint game={game} />}
          {(!isGuest || game.guest_bugs) && (
            <>
              <Text size="sm">{t('bug.text')}</Text>
              <BugForm game={game} isGuest={isGuest} onFiled={setFiled} />
            </>
          )}
        </>
      )}
    </>
  );
}

function SignInHint({ game: { slug, guest_bugs: isOptional } }: { game: OutputOf<typeof getPublicGame> }) {
  const link = (content: ReactNode) => (
    <SiteLink to="/sign-in" search={{ next: `/g/${slug}/report` }}>
      {content}
    </SiteLink>
  );
  return isOptional ? (
    <Text size="sm">{rich('bug.signIn.offered', { link })}</Text>
  ) : (
    <Text>{rich('bug.signIn.needed', { link })}</Text>
  );
}

type Game = OutputOf<typeof getPublicGame>;
type BugFormProps = { game: Game; isGuest: boolean; onFiled: (filed: Filed) => void };

/** The form in which a player reports a bug. */
function BugForm({ game, isGuest, onFiled }: BugFormProps) {
  const builds = game.downloads.map((offer) => ({
    value: offer.build_id,
    label: t(offer.channel === 'stable' ? 'bug.build.option' : 'bug.build.channel', {
      version: offer.version,
      platform: formatFriendlyPlatform(texts, offer),
      channel: offer.channel,
    }),
  }));
  const [title, setTitle] = useState('');
  const [message, setMessage] = useState('');
  const [steps, setSteps] = useState('');
  const [sender, setSender] = useState<Sender>({ name: '', email: '' });
  const [buildId, setBuildId] = useState<string | null>(builds.length === 1 ? builds[0]!.value : null);
  const [files, setFiles] = useState<Files>({ dump: null, log: null, screenshots: [] });
  const filing = useMutation({
    mutationFn: () => {
      const bug = {
        uid: game.game_uid,
        message,
        ...(title.trim() !== '' && { title: title.trim() }),
        ...(steps.trim() !== '' && { steps: steps.trim() }),
        ...(buildId !== null && { build_id: buildId }),
        has_dump: files.dump !== null,
        has_log: files.log !== null,
        ...(files.screenshots.length > 0 && { screenshots: files.screenshots.length }),
      };
      const name = sender.name.trim();
      const email = sender.email.trim();
      return isGuest
        ? call(fileBugAsGuest, { ...bug, ...(name !== '' && { name }), ...(email !== '' && { email }) })
        : call(fileBug, bug);
    },
    onSuccess: ({ bug_uid, number, uploads, page_url }) =>
      onFiled({
        bugUid: bug_uid,
        number,
        uploads,
        files,
        page: page_url,
        email: isGuest && sender.email.trim() !== '' ? sender.email.trim() : null,
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    filing.mutate();
  };
  const hasFile = files.dump !== null || files.log !== null;
  return (
    <form onSubmit={submit} aria-label={t('bug.form')}>
      <Stack gap="md">
        <TextInput
          data-field="title"
          label={t('bug.subject')}
          description={t('bug.subject.hint')}
          maxLength={LIMITS.bugTitleLength}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Textarea
          data-field="message"
          label={t('bug.message')}
          description={t('bug.message.hint')}
          required
          autosize
          minRows={5}
          maxLength={LIMITS.bugMessageLength}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <Textarea
          data-field="steps"
          label={t('bug.steps')}
          description={t('bug.steps.hint')}
          autosize
          minRows={3}
          maxLength={LIMITS.bugStepsLength}
          value={steps}
          onChange={(event) => setSteps(event.currentTarget.value)}
        />
        <Select
          data-field="build_id"
          label={t('bug.build')}
          description={t(hasFile ? 'bug.build.needed' : 'bug.build.hint')}
          placeholder={t('bug.build.unsure')}
          required={hasFile}
          clearable={!hasFile}
          data={builds}
          value={buildId}
          onChange={setBuildId}
        />
        {isGuest && <SenderFields sender={sender} onChange={setSender} />}
        <ScreenshotField files={files} onChange={setFiles} />
        {builds.length > 0 && <FileFields files={files} onChange={setFiles} />}
        {filing.error !== null && <Problem error={filing.error} />}
        <Button
          type="submit"
          loading={filing.isPending}
          disabled={(hasFile && buildId === null) || problemOfScreenshots(files) !== null}
          w="fit-content"
        >
          {t('bug.send')}
        </Button>
      </Stack>
      <UnsavedWarning
        isActive={`${title}${message}${steps}`.trim() !== ''}
        title={t('bug.leave')}
        leaveLabel={t('bug.leave.confirm')}
        stayLabel={t('bug.leave.stay')}
      >
        {t('bug.leave.text')}
      </UnsavedWarning>
    </form>
  );
}

type Sender = { readonly name: string; readonly email: string };

function SenderFields({ sender, onChange }: { sender: Sender; onChange: (sender: Sender) => void }) {
  return (
    <>
      <TextInput
        data-field="name"
        label={t('bug.name')}
        description={t('bug.name.hint')}
        maxLength={LIMITS.displayNameLength}
        autoComplete="nickname"
        value={sender.name}
        onChange={(event) => onChange({ ...sender, name: event.currentTarget.value })}
      />
      <TextInput
        data-field="email"
        label={t('field.email')}
        description={t('bug.email.hint')}
        type="email"
        maxLength={LIMITS.emailLength}
        autoComplete="email"
        value={sender.email}
        onChange={(event) => onChange({ ...sender, email: event.currentTarget.value })}
      />
    </>
  );
}

function ScreenshotField({ files, onChange }: { files: Files; onChange: (files: Files) => void }) {
  return (
    <FileInput
      data-field="screenshots"
      label={t('bug.screenshots')}
      description={t('bug.screenshots.hint', { max: LIMITS.bugScreenshots })}
      placeholder={t('bug.file.choose')}
      multiple
      clearable
      accept="image/png,image/jpeg,image/gif,image/webp"
      value={[...files.screenshots]}
      error={problemOfScreenshots(files)}
      onChange={(screenshots) => onChange({ ...files, screenshots })}
    />
  );
}

function problemOfScreenshots({ screenshots }: Files): string | null {
  if (screenshots.length > LIMITS.bugScreenshots) return t('bug.screenshots.tooMany', { max: LIMITS.bugScreenshots });
  const isTooLarge = screenshots.some(({ size }) => size > MAX_IMAGE_BYTES);
  return isTooLarge ? t('bug.file.tooLarge', { size: texts.size(MAX_IMAGE_BYTES) }) : null;
}

function FileFields({ files, onChange }: { files: Files; onChange: (files: Files) => void }) {
  const tooLarge = (file: File | null) =>
    file !== null &&
    file.size > LIMITS.crashFileBytes &&
    t('bug.file.tooLarge', { size: texts.size(LIMITS.crashFileBytes) });
  return (
    <>
      <FileInput
        label={t('bug.dump')}
        description={t('bug.dump.hint')}
        placeholder={t('bug.file.choose')}
        clearable
        value={files.dump}
        error={tooLarge(files.dump)}
        onChange={(dump) => onChange({ ...files, dump })}
      />
      <FileInput
        label={t('bug.log')}
        description={t('bug.log.hint')}
        placeholder={t('bug.file.choose')}
        clearable
        value={files.log}
        error={tooLarge(files.log)}
        onChange={(log) => onChange({ ...files, log })}
      />
    </>
  );
}

type Files = { readonly dump: File | null; readonly log: File | null; readonly screenshots: readonly File[] };
type Filed = {
  readonly bugUid: string;
  readonly number: number;
  readonly uploads: OutputOf<typeof fileBug>['uploads'];
  readonly files: Files;
  /** The address of the page with the ticket. */
  readonly page: string;
  /** The address that a player without an account left. */
  readonly email: string | null;
};

const KINDS = ['dump', 'log'] as const;

/** Shown after a bug report was sent: the uploads of its files, each with a retry button, and the report ID. */
function BugFiled({ filed: { bugUid, number, uploads, files, page, email }, slug }: { filed: Filed; slug: string }) {
  return (
    <Stack gap="md">
      <Text role="status">{t('bug.sent', { number })}</Text>
      {email !== null && <Text>{t('bug.confirm', { email })}</Text>}
      <Text>{rich('bug.page', { link: (content) => <Anchor href={page}>{content}</Anchor> })}</Text>
      {KINDS.map((kind) => {
        const file = files[kind];
        if (file === null) return null;
        const target = uploads[kind];
        return target === undefined ? (
          <Text key={kind} size="sm">
            {t(`bug.${kind}.refused`)}
          </Text>
        ) : (
          <FileUpload key={kind} kind={kind} url={target.url} file={file} />
        );
      })}
      {uploads.screenshots?.map(({ url }, index) => {
        const file = files.screenshots[index];
        return file && <FileUpload key={url} kind="screenshot" url={url} file={file} />;
      })}
      <div>
        <Text size="sm" c="dimmed">
          {t('bug.id')}
        </Text>
        <CopyText text={bugUid} label={t('bug.id')} />
      </div>
      <Anchor href={`/g/${slug}`}>{t('bug.back')}</Anchor>
    </Stack>
  );
}

type FileUploadProps = { kind: (typeof KINDS)[number] | 'screenshot'; url: string; file: File };

function FileUpload({ kind, url, file }: FileUploadProps) {
  const [share, setShare] = useState(0);
  const sending = useMutation({
    mutationFn: () => upload({ method: 'PUT', url, body: file, onProgress: setShare }),
  });
  const { mutate } = sending;
  const hasStarted = useRef(false);
  useEffect(() => {
    // The URL accepts one upload, so it must not start again if this component is mounted twice.
    if (hasStarted.current) return;
    hasStarted.current = true;
    mutate();
  }, [mutate]);
  return (
    <div>
      <Text size="sm" mb={4} role="status">
        {t(`bug.${kind}.${sending.isSuccess ? 'uploaded' : 'uploading'}`, { file: file.name })}
      </Text>
      {sending.error === null ? (
        <Progress
          value={sending.isSuccess ? 100 : share * 100}
          aria-label={t(`bug.${kind}.uploading`, { file: file.name })}
        />
      ) : (
        <Problem error={sending.error} onRetry={() => mutate()} />
      )}
    </div>
  );
}
