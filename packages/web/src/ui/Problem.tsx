// Shows an error: what happened, what to do about it and, on pages for developers and operators, the details, folded
// away. An error about a field of a form is shown at that field.
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError, CODES, type ErrorCode, isError } from '@chauffeur/contract/errors';
import { SIGN_IN_REQUIREMENTS, type SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { ProgramKey } from '@chauffeur/contract/texts/messages';
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { showAtField } from '../frame/field-messages.ts';
import { keepForReturn, MissingCodeError } from '../frame/load-code.ts';
import { AccountError, PasskeyError } from '../session.ts';
import { t, texts } from '../texts.tsx';
import { isForDevelopers } from './developer-paths.ts';
import { SignInLinks } from './SiteLink.tsx';

type ProblemProps = {
  error: unknown;
  /** Shows a button that tries again. */
  onRetry?: () => void;
};

/**
 * Shows the message at the field that the error is about instead, if it is in a form with that field (`data-field`).
 */
export function Problem({ error, onRetry }: ProblemProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isAtField, setAtField] = useState(false);
  useLayoutEffect(() => {
    const { message, field } = describe(error);
    const remove = field === null || anchor.current === null ? null : showAtField(anchor.current, field, message);
    setAtField(remove !== null);
    return remove ?? undefined;
  }, [error]);
  return (
    <>
      <span ref={anchor} hidden />
      {!isAtField && <ProblemAlert error={error} {...(onRetry !== undefined && { onRetry })} />}
    </>
  );
}

function ProblemAlert({ error, onRetry }: ProblemProps) {
  const { message, details, ...described } = describe(error);
  const known = useRemedy(described.code);
  // Some messages end with what to do.
  const remedy = known === undefined || message.includes(known) ? described.remedy : known;
  const required = requirementOf(error);
  return (
    <Alert color="red" variant="light" role="alert" title={message}>
      {remedy !== '' && <Text size="sm">{remedy}</Text>}
      {required !== undefined && <SignInLinks required={required} />}
      {isSignedOut(error) && (
        // The sign-in page is loaded as a new document, so that unsaved text on this page doesn't stop it.
        <Anchor
          href={`/sign-in?${new URLSearchParams({ next: location.pathname + location.search })}`}
          size="sm"
          onClick={({ ctrlKey, metaKey, shiftKey }) => !(ctrlKey || metaKey || shiftKey) && keepForReturn()}
        >
          {t('site.signIn')}
        </Anchor>
      )}
      {details.length > 0 && isForDevelopers(location.pathname) && (
        <Text size="xs" c="dimmed" mt={4} component="details">
          <summary>Technical details</summary>
          {details.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Text>
      )}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          {t('problem.retry')}
        </Button>
      )}
    </Alert>
  );
}

/** What to do about errors of the code. The texts of all codes are loaded when the first error is shown. */
function useRemedy(code: ErrorCode | null): string | undefined {
  const { data } = useQuery({
    queryKey: ['remedies'],
    queryFn: async () => (await import('@chauffeur/contract/errors?whole')).ERRORS,
    enabled: code !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // If the texts can't be loaded, the message is enough.
    retry: false,
  });
  return code === null ? undefined : data?.[code].remedy;
}

/** The session has expired, or was ended in another window. */
const isSignedOut = (error: unknown) => isError(error, 'notSignedIn');

/** What an organisation requires of how the person signs in. */
function requirementOf(error: unknown): SignInRequirement | undefined {
  if (!isError(error, 'strongerSignInNeeded')) return undefined;
  return SIGN_IN_REQUIREMENTS.find((each) => each === error.data?.required_sign_in);
}

/** The API's messages are in English. Others get a sentence about the kind of error. */
function errorKey({ code, status }: ApiError): ProgramKey {
  if (code === CODES.limitReached) return 'error.tooMany';
  if (status >= 500) return 'error.unavailable';
  return ERROR_KEYS[status] ?? 'error.failed';
}

const ERROR_KEYS: Readonly<Record<number, ProgramKey>> = {
  400: 'error.input',
  401: 'error.signIn',
  403: 'error.denied',
  404: 'error.missing',
  410: 'error.missing',
  413: 'error.tooLarge',
  422: 'error.input',
};

/** Codes whose messages already say what to do. */
const COMPLETE_MESSAGES: readonly number[] = [CODES.invalid, CODES.strongerSignInNeeded];

type Description = {
  readonly message: string;
  readonly remedy: string;
  /** The error code whose remedy is shown. */
  readonly code: ErrorCode | null;
  readonly details: readonly string[];
  /** The path of the field in the request. */
  readonly field: string | null;
};

const ofNoField = (message: string, remedy = ''): Description => ({
  message,
  remedy,
  code: null,
  details: [],
  field: null,
});

function describe(error: unknown): Description {
  if (error instanceof NetworkError) return ofNoField(t('problem.unreachable'), t('problem.unreachable.remedy'));
  if (error instanceof MissingCodeError) return ofNoField(t('problem.part'), t('problem.part.remedy'));
  if (error instanceof PasskeyError) return ofNoField(error.message, error.remedy);
  if (isSignedOut(error)) return ofNoField(t('problem.signedOut'), t('problem.signedOut.remedy'));
  if (!(error instanceof ApiError)) return ofNoField(t('problem.here'), t('problem.here.remedy'));
  const { message, field = fieldOf(error) } = splitField(error.message);
  if (texts.language !== 'en')
    return { ...ofNoField(error instanceof AccountError ? error.message : t(errorKey(error))), field };
  return {
    message,
    remedy: '',
    // The remedy of an invalid field refers to the message.
    code: field !== null || COMPLETE_MESSAGES.includes(error.code) ? null : error.code,
    details: [
      `Error code: ${error.code}`,
      ...(field === null ? [] : [`Field: ${field}`]),
      ...(error.requestId === undefined ? [] : [`Request ID: ${error.requestId}`]),
    ],
    field,
  };
}

/** The field that an error is about, if the message does not begin with its path. */
function fieldOf({ code, data }: ApiError): string | null {
  return code === CODES.wrongPassword ? 'password' : (REASON_FIELDS.get(data?.reason) ?? null);
}

/** Fields by the reason that the account routes give. */
const REASON_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ['INVALID_EMAIL', 'email'],
  ['INVALID_PASSWORD', 'password'],
  ['PASSWORD_TOO_SHORT', 'new_password'],
  ['PASSWORD_TOO_LONG', 'new_password'],
  ['INVALID_CODE', 'code'],
  ['CODE_USED', 'code'],
  ['INVALID_BACKUP_CODE', 'code'],
]);

/** Messages about input start with the path of the field, as in `name: too long. Shorten it.` */
function splitField(text: string): { message: string; field?: string } {
  const [, field, rest] = /^([\w.[\]/-]+): (.+)$/s.exec(text) ?? [];
  if (field === undefined || rest === undefined) return { message: text };
  return { message: rest.charAt(0).toUpperCase() + rest.slice(1), field };
}
