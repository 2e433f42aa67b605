// An error: what happened, what to do about it and, on pages for developers and operators, the details, folded away.
import { NetworkError } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { SIGN_IN_REQUIREMENTS, type SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { ProgramKey } from '@chauffeur/contract/texts/messages';
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { keepForReturn, MissingCodeError } from '../frame/load-code.ts';
import { AccountError, PasskeyError } from '../session.ts';
import { t, texts } from '../texts.tsx';
import { isForDevelopers } from './developer-paths.ts';
import { SignInLinks } from './SignInLinks.tsx';

type ProblemProps = {
  error: unknown;
  /** Shows a button that tries again. */
  onRetry?: () => void;
};

export function Problem({ error, onRetry }: ProblemProps) {
  const { message, remedy, details } = describe(error);
  const required = requirementOf(error);
  return (
    <Alert color="red" variant="light" role="alert" title={message}>
      {remedy !== '' && <Text size="sm">{remedy}</Text>}
      {required !== undefined && <SignInLinks required={required} />}
      {isSignedOut(error) && (
        // A document of its own, which no form of this page holds up.
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

/** The session has expired, or was ended in another window. */
const isSignedOut = (error: unknown) => error instanceof ApiError && error.code === 4011;

/** What an organisation requires of how the person signs in. */
function requirementOf(error: unknown): SignInRequirement | undefined {
  if (!(error instanceof ApiError) || error.code !== 4035) return undefined;
  return SIGN_IN_REQUIREMENTS.find((each) => each === error.data?.required_sign_in);
}

/** The API's messages are in English. Others get a sentence about the kind of error. */
function errorKey({ code, status }: ApiError): ProgramKey {
  if (code === 4290) return 'error.tooMany';
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

/** Their messages say what to do. */
const COMPLETE_MESSAGES: readonly number[] = [4002, 4035];

type Description = { readonly message: string; readonly remedy: string; readonly details: readonly string[] };

function describe(error: unknown): Description {
  if (error instanceof NetworkError)
    return { message: t('problem.unreachable'), remedy: t('problem.unreachable.remedy'), details: [] };
  if (error instanceof MissingCodeError)
    return { message: t('problem.part'), remedy: t('problem.part.remedy'), details: [] };
  if (error instanceof PasskeyError) return { message: error.message, remedy: error.remedy, details: [] };
  if (isSignedOut(error))
    return { message: t('problem.signedOut'), remedy: t('problem.signedOut.remedy'), details: [] };
  if (!(error instanceof ApiError))
    return { message: t('problem.here'), remedy: t('problem.here.remedy'), details: [] };
  if (texts.language !== 'en')
    return { message: error instanceof AccountError ? error.message : t(errorKey(error)), remedy: '', details: [] };
  const { message, field } = splitField(error.message);
  const { remedy } = ERRORS[error.code];
  return {
    message,
    // The remedy of an invalid field refers to the message.
    remedy: field !== null || COMPLETE_MESSAGES.includes(error.code) || message.includes(remedy) ? '' : remedy,
    details: [
      `Error code: ${error.code}`,
      ...(field === null ? [] : [`Field: ${field}`]),
      ...(error.requestId === undefined ? [] : [`Request ID: ${error.requestId}`]),
    ],
  };
}

/** Messages about input start with the path of the field, as in `name: too long. Shorten it.` */
function splitField(text: string): { message: string; field: string | null } {
  const [, field, rest] = /^([\w.[\]/-]+): (.+)$/s.exec(text) ?? [];
  if (field === undefined || rest === undefined) return { message: text, field: null };
  return { message: rest.charAt(0).toUpperCase() + rest.slice(1), field };
}
