// The facts of a listing: languages, content notes, videos, links, system requirements and install notes.
import { formatOs } from '@chauffeur/contract/format';
import { OSES } from '@chauffeur/contract/identity';
import { formatLanguage, LANGUAGES } from '@chauffeur/contract/languages';
import { LIMITS } from '@chauffeur/contract/limits';
import { type GameLinkKind, LINK_KINDS } from '@chauffeur/contract/operations/games';
import { formatLinkKind } from '@chauffeur/contract/store-format';
import { OSES_WITH_NOTES } from '@chauffeur/contract/texts/download-texts';
import { readVideoLink } from '@chauffeur/contract/video-link';
import {
  Button,
  CloseButton,
  Fieldset,
  Group,
  MultiSelect,
  NativeSelect,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ListingFacts } from './use-listing.ts';

/** The languages that are suggested; others can be typed. */
const CONTENT_NOTES = [
  'Flashing lights',
  'Mild violence',
  'Violence',
  'Blood',
  'Horror',
  'Sexual content',
  'Strong language',
  'Alcohol or drugs',
  'Gambling',
  'Purchases in the game',
];

type FactFieldsProps = { facts: ListingFacts; onChange: (changes: Partial<ListingFacts>) => void };

export function FactFields({ facts, onChange }: FactFieldsProps) {
  return (
    <Stack gap="md" component="section" aria-label="Details">
      <Title order={2} size="h4">
        Details
      </Title>
      <LanguageField languages={facts.languages} onChange={(languages) => onChange({ languages })} />
      <TagsInput
        data-field="content_notes"
        label="Content notes"
        description="What some players want to know before they play. Press Enter after each."
        maxTags={LIMITS.contentNotes}
        maxLength={LIMITS.contentNoteLength}
        data={CONTENT_NOTES}
        value={facts.content_notes}
        onChange={(content_notes) => onChange({ content_notes })}
      />
      <VideoFields videos={facts.videos} onChange={(videos) => onChange({ videos })} />
      <LinkFields links={facts.links} onChange={(links) => onChange({ links })} />
      <RequirementFields requirements={facts.requirements} onChange={(requirements) => onChange({ requirements })} />
      <InstallFields notes={facts.install_notes} onChange={(install_notes) => onChange({ install_notes })} />
    </Stack>
  );
}

type LanguageFieldProps = { languages: string[]; onChange: (languages: string[]) => void };

function LanguageField({ languages, onChange }: LanguageFieldProps) {
  const [search, setSearch] = useState('');
  /** Typed text that matches no language. The field itself drops it. */
  const [unknown, setUnknown] = useState('');
  const tags = [...new Set([...LANGUAGES, ...languages])];
  return (
    <MultiSelect
      data-field="languages"
      label="Languages"
      description="Languages of the game, not of its page"
      searchable
      clearable
      maxValues={LIMITS.gameLanguages}
      nothingFoundMessage="No such language"
      data={tags.map((value) => ({ value, label: formatLanguage(value) })).sort((a, b) => (a.label < b.label ? -1 : 1))}
      value={languages}
      searchValue={search}
      error={unknown === '' ? undefined : `“${unknown}” was not added. Choose a language from the list.`}
      onSearchChange={(text) => {
        setSearch(text);
        if (text !== '') setUnknown('');
      }}
      onBlur={() => setUnknown(search.trim())}
      onChange={(chosen) => {
        setUnknown('');
        onChange(chosen);
      }}
    />
  );
}

type Links = ListingFacts['links'];

/** The links of a listing: one address for each kind. */
function LinkFields({ links, onChange }: { links: Links; onChange: (links: Links) => void }) {
  const used = new Set(links.map(({ kind }) => kind));
  const [unused] = LINK_KINDS.filter((kind) => !used.has(kind));
  const change = (index: number, changes: Partial<Links[number]>) =>
    onChange(links.map((link, at) => (at === index ? { ...link, ...changes } : link)));
  return (
    <Fieldset legend="Links" p={0} bd={0} bg="transparent">
      <Stack gap="xs" align="flex-start">
        {links.map(({ kind, url }, index) => (
          <Group key={kind} gap="xs" wrap="nowrap" align="flex-start" w="100%">
            <NativeSelect
              aria-label={`Kind of link ${index + 1}`}
              data={LINK_KINDS.filter((each) => each === kind || !used.has(each)).map((value) => ({
                value,
                label: formatLinkKind(value),
              }))}
              value={kind}
              onChange={({ currentTarget }) => change(index, { kind: currentTarget.value as GameLinkKind })}
            />
            <TextInput
              flex={1}
              type="url"
              required
              data-field={`links[${index}].url`}
              aria-label={`Address of ${formatLinkKind(kind)}`}
              placeholder="https://"
              pattern="https://.+"
              title="An address that starts with https://"
              maxLength={LIMITS.gameLinkLength}
              value={url}
              onChange={({ currentTarget }) => change(index, { url: currentTarget.value })}
            />
            <CloseButton
              mt={4}
              aria-label={`Remove ${formatLinkKind(kind)}`}
              onClick={() => onChange(links.filter((_, at) => at !== index))}
            />
          </Group>
        ))}
        {unused !== undefined && (
          <Button variant="default" size="compact-sm" onClick={() => onChange([...links, { kind: unused, url: '' }])}>
            Add link
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

type VideoFieldsProps = { videos: readonly string[]; onChange: (videos: string[]) => void };

/** The videos of a listing: addresses of videos on YouTube and Vimeo. */
function VideoFields({ videos, onChange }: VideoFieldsProps) {
  return (
    <Fieldset legend="Videos" p={0} bd={0} bg="transparent">
      <Stack gap="xs" align="flex-start">
        <Text size="xs" c="dimmed">
          On YouTube or Vimeo. Nothing is loaded from there until a player presses the button.
        </Text>
        {videos.map((video, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: while one is typed, it has no other key
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start" w="100%">
            <VideoField
              index={index}
              video={video}
              onChange={(changed) => onChange(videos.map((each, at) => (at === index ? changed : each)))}
            />
            <CloseButton
              mt={4}
              aria-label={`Remove video ${index + 1}`}
              onClick={() => onChange(videos.filter((_, at) => at !== index))}
            />
          </Group>
        ))}
        {videos.length < LIMITS.gameVideos && (
          <Button variant="default" size="compact-sm" onClick={() => onChange([...videos, ''])}>
            Add video
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

type VideoFieldProps = { index: number; video: string; onChange: (video: string) => void };

function VideoField({ index, video, onChange }: VideoFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const problem = video === '' || readVideoLink(video) !== null ? '' : 'Not a video on YouTube or Vimeo';
  // Keeps the form from being sent, which would lead to a second message.
  useEffect(() => field.current?.setCustomValidity(problem));
  return (
    <TextInput
      ref={field}
      flex={1}
      type="url"
      required
      data-field={`videos[${index}]`}
      aria-label={`Address of video ${index + 1}`}
      placeholder="https://www.youtube.com/watch?v="
      maxLength={LIMITS.gameLinkLength}
      value={video}
      error={problem === '' ? undefined : problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

type Requirements = ListingFacts['requirements'];
type RequirementFieldsProps = { requirements: Requirements; onChange: (requirements: Requirements) => void };

const PARTS = ['minimum', 'recommended'] as const;
const LABELS = { minimum: 'Minimum', recommended: 'Recommended' } as const;

/** The system requirements of a listing, for one operating system after the other. */
function RequirementFields({ requirements, onChange }: RequirementFieldsProps) {
  const unused = OSES.filter((os) => !requirements.some((each) => each.os === os));
  const change = (index: number, changes: Partial<Requirements[number]>) =>
    onChange(requirements.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  return (
    <Fieldset legend="System requirements" p={0} bd={0} bg="transparent">
      <Stack gap="sm">
        {requirements.map(({ os, ...texts }, index) => (
          <Stack key={os} gap={4}>
            <Group justify="space-between">
              <Text fw={600} size="sm">
                {formatOs(os)}
              </Text>
              <CloseButton
                aria-label={`Remove ${formatOs(os)}`}
                onClick={() => onChange(requirements.filter((each) => each.os !== os))}
              />
            </Group>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {PARTS.map((part) => (
                <Textarea
                  key={part}
                  data-field={`requirements[${index}].${part}`}
                  label={LABELS[part]}
                  aria-label={`${LABELS[part]} for ${formatOs(os)}`}
                  placeholder={part === 'minimum' ? 'Windows 10, 4 GB of memory' : undefined}
                  autosize
                  minRows={2}
                  maxRows={8}
                  maxLength={LIMITS.requirementsLength}
                  value={texts[part]}
                  onChange={({ currentTarget }) => change(index, { [part]: currentTarget.value })}
                />
              ))}
            </SimpleGrid>
          </Stack>
        ))}
        <Group gap="xs">
          {unused.map((os) => (
            <Button
              key={os}
              variant="default"
              size="compact-sm"
              onClick={() => onChange([...requirements, { os, minimum: '', recommended: '' }])}
            >
              Add {formatOs(os)}
            </Button>
          ))}
        </Group>
      </Stack>
    </Fieldset>
  );
}

type InstallNotes = ListingFacts['install_notes'];
type InstallOs = InstallNotes[number]['os'];
type InstallFieldsProps = { notes: InstallNotes; onChange: (notes: InstallNotes) => void };

/** The notes that players read if there are no others. They are loaded with the editor, as no other page has them. */
function useDefaultNotes(): Partial<Record<string, string>> {
  const { data } = useQuery({
    queryKey: ['default install notes'],
    queryFn: async () => (await import('@chauffeur/contract/texts/english-install-notes')).ENGLISH_INSTALL_NOTES,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? {};
}

/** How to install and start the game. The default notes are shown until others are written. */
function InstallFields({ notes, onChange }: InstallFieldsProps) {
  const defaults = useDefaultNotes();
  const textOf = (os: string) => notes.find((each) => each.os === os)?.text;
  const write = (os: InstallOs, text: string) => onChange([...notes.filter((each) => each.os !== os), { os, text }]);
  return (
    <Fieldset legend="Install notes" p={0} bd={0} bg="transparent">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Shown with the download, for the system of each player. The default notes explain the warnings that unsigned
          games cause; players read them in their language.
        </Text>
        {OSES_WITH_NOTES.map((os) => {
          const text = textOf(os);
          return text === undefined ? (
            <DefaultNotes key={os} os={os} text={defaults[os]} onWrite={() => write(os, defaults[os] ?? '')} />
          ) : (
            <Stack key={os} gap={4}>
              <Textarea
                data-field={`install_notes[${notes.findIndex((each) => each.os === os)}].text`}
                label={formatOs(os)}
                aria-label={`Install notes for ${formatOs(os)}`}
                description={text.trim() === '' ? 'No notes are shown.' : undefined}
                autosize
                minRows={2}
                maxRows={8}
                maxLength={LIMITS.installNotesLength}
                value={text}
                onChange={({ currentTarget }) =>
                  onChange(notes.map((each) => (each.os === os ? { os, text: currentTarget.value } : each)))
                }
              />
              <Button
                variant="default"
                size="compact-sm"
                w="fit-content"
                aria-label={`Use the default for ${formatOs(os)}`}
                onClick={() => onChange(notes.filter((each) => each.os !== os))}
              >
                Use the default
              </Button>
            </Stack>
          );
        })}
      </Stack>
    </Fieldset>
  );
}

type DefaultNotesProps = { os: InstallOs; text: string | undefined; onWrite: () => void };

/** What players of a system read, as long as the developer has written nothing. */
function DefaultNotes({ os, text, onWrite }: DefaultNotesProps) {
  return (
    <Stack gap={4} component="section" aria-label={`Default notes for ${formatOs(os)}`}>
      <Text size="sm">
        {formatOs(os)}{' '}
        <Text span size="sm" c="dimmed">
          Default
        </Text>
      </Text>
      <Text size="sm" c="dimmed">
        {text ?? '…'}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        w="fit-content"
        disabled={text === undefined}
        aria-label={`Write your own notes for ${formatOs(os)}`}
        onClick={onWrite}
      >
        Write your own
      </Button>
    </Stack>
  );
}
