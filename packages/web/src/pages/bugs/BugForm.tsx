// The form in which a player reports a bug.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { fileBug, fileBugAsGuest } from '@chauffeur/contract/operations/bugs';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { formatFriendlyPlatform } from '@chauffeur/contract/texts/download-texts';
import { Button, FileInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api.ts';
import { t, texts } from '../../texts.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UnsavedWarning } from '../../ui/UnsavedWarning.tsx';
import type { Filed, Files } from './BugFiled.tsx';

type Game = OutputOf<typeof getPublicGame>;
type BugFormProps = { game: Game; isGuest: boolean; onFiled: (filed: Filed) => void };

export function BugForm({ game, isGuest, onFiled }: BugFormProps) {
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
  const [sender, setSender] = useState<Sender>({ name: '', email: '' });
  const [buildId, setBuildId] = useState<string | null>(builds.length === 1 ? builds[0]!.value : null);
  const [files, setFiles] = useState<Files>({ dump: null, log: null });
  const filing = useMutation({
    mutationFn: () => {
      const bug = {
        uid: game.game_uid,
        message,
        ...(title.trim() !== '' && { title: title.trim() }),
        ...(buildId !== null && { build_id: buildId }),
        has_dump: files.dump !== null,
        has_log: files.log !== null,
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
        {builds.length > 0 && <FileFields files={files} onChange={setFiles} />}
        {filing.error !== null && <Problem error={filing.error} />}
        <Button type="submit" loading={filing.isPending} disabled={hasFile && buildId === null} w="fit-content">
          {t('bug.send')}
        </Button>
      </Stack>
      <UnsavedWarning
        isActive={`${title}${message}`.trim() !== ''}
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
