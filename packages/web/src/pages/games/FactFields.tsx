// The facts of a listing: languages, content notes, videos, links and system requirements.
import { formatLanguage, LANGUAGES } from '@chauffeur/contract/languages';
import { LIMITS } from '@chauffeur/contract/limits';
import { MultiSelect, Stack, TagsInput, Title } from '@mantine/core';
import { useState } from 'react';
import { LinkFields } from './LinkFields.tsx';
import { RequirementFields } from './RequirementFields.tsx';
import type { Facts } from './use-listing.ts';
import { VideoFields } from './VideoFields.tsx';

/** Suggested; others can be typed. */
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

type FactFieldsProps = { facts: Facts; onChange: (changes: Partial<Facts>) => void };

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
    </Stack>
  );
}

type LanguageFieldProps = { languages: string[]; onChange: (languages: string[]) => void };

function LanguageField({ languages, onChange }: LanguageFieldProps) {
  const [search, setSearch] = useState('');
  /** What was typed and matches no language. The field itself drops it. */
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
