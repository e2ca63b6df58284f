import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { Place, PlacesScreen } from '../../../../src/connect-pages/screens/screens';
import { LeaveLink } from '../leave-link';
import { useMessage } from '../messages';
import { readScreen } from '../read-screen';
import { byKind } from '../texts/kinds';
import { Name, Text, counted, useWording } from '../texts/texts';
import { Arrived } from './arrived';

/** How often progress is read while something is collected, in milliseconds: less often the longer it takes. */
const everyMs = 2000;
const pauseAfter = (openMs: number): number => (openMs < 60_000 ? everyMs : openMs < 600_000 ? 5000 : 15_000);

/** The connected places, with the progress of what is collected. */
export function PlacesView({ screen, leaveUrl }: { screen: PlacesScreen; leaveUrl: string | undefined }): ReactNode {
  const { texts } = useWording();
  const words = texts.places;
  const { path } = screen;
  const [openedAt] = useState(() => Date.now());
  const { data, isError } = useQuery({
    queryKey: ['places', path],
    queryFn: ({ signal }) => readScreen(`${path}/places`, 'places', signal),
    initialData: screen,
    // The document has just brought it.
    staleTime: everyMs,
    refetchInterval: ({ state }) => (state.data?.places.some(isCollecting) ? pauseAfter(Date.now() - openedAt) : false),
    retry: false,
  });
  const { places, arrived, made } = data;
  useMessage(
    made.length > 0
      ? {
          tributary: 'connected',
          connection_ids: made.map(({ connectionId }) => connectionId),
          health_system_ids: [...new Set(made.map(({ healthSystemId }) => healthSystemId))],
        }
      : undefined,
  );
  const sum = (count: (place: Place) => number): number => places.reduce((total, place) => total + count(place), 0);
  useMessage({
    tributary: 'progress',
    collected: sum(({ collected }) => collected),
    types_done: sum(({ typesDone }) => typesDone),
    types_total: sum(({ typesTotal }) => typesTotal),
  });
  return (
    <>
      <h1>{words.title}</h1>
      {isError && (
        <p className="notice warning" role="status">
          {words.stale}
        </p>
      )}
      {places.length === 0 && <p>{words.empty}</p>}
      {places.map((place) => (
        <PlaceCard key={place.connectionIds.join()} path={path} place={place} hasCounts={arrived.length === 0} />
      ))}
      <Arrived counts={arrived} />
      <div className="actions">
        <LeaveLink href={leaveUrl} isPrimary>
          {words.done}
        </LeaveLink>
        <a href={`${path}/search`}>{words.add}</a>
      </div>
      {places.some(isCollecting) && (
        <p className="muted after">
          {words.canClose}{' '}
          <noscript>
            <a href="">{words.refresh}</a>
          </noscript>
        </p>
      )}
    </>
  );
}

const isCollecting = ({ status }: Place): boolean => status === 'collecting';
const icons: Record<Place['status'], string> = {
  collecting: '…',
  up_to_date: '✓',
  partly: '!',
  sign_in_again: '!',
  failed: '✕',
  disconnected: '–',
};

/** @param hasCounts whether nothing else on the screen says how much there is of each kind */
function PlaceCard({ path, place, hasCounts }: { path: string; place: Place; hasCounts: boolean }): ReactNode {
  const { language, texts } = useWording();
  const words = texts.places;
  const { system, person, status, typesDone, typesTotal } = place;
  const values = { system: <Name>{system.name}</Name> };
  const number = new Intl.NumberFormat(language);
  return (
    <article className="card">
      <h2>
        <Name>{system.name}</Name>
      </h2>
      <p className={`status ${status}`}>
        <span aria-hidden="true">{icons[status]}</span> {words.status[status]}
      </p>
      {person.name !== undefined && (
        <p className="muted">
          <Text of={words.of} values={{ name: <Name>{person.name}</Name> }} />
          {person.birthDate !== undefined && (
            <Text of={words.born} values={{ date: dateOf(language, person.birthDate) }} />
          )}
        </p>
      )}
      {place.isOtherPerson && <p className="notice warning">{words.otherPerson}</p>}
      {(status === 'sign_in_again' || status === 'failed') && (
        <p>
          <Text of={words.renewBecause[status]} values={values} />
        </p>
      )}
      {isCollecting(place) && <Progress label={words.status.collecting} done={typesDone} total={typesTotal} />}
      <p>{counted(language, words.collected, place.collected)}</p>
      {hasCounts && place.types.length > 0 && (
        <ul className="counts">
          {byKind(place.types).map(([kind, types]) => (
            <li key={kind}>
              <span>{texts.kinds[kind]}</span>
              <span>
                {number.format(types.reduce((sum, { count }) => sum + count, 0))}
                <span aria-hidden="true">{types.every(({ isDone }) => isDone) ? ' ✓' : ' …'}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {place.missing.length > 0 && (
        <details>
          <summary>{words.missing}</summary>
          <ul>
            {byKind(place.missing).map(([kind, missing]) => (
              <li key={kind}>
                <Text
                  of={words.reasons[missing[0]?.reason ?? 'partial']}
                  values={{ ...values, kind: texts.kinds[kind] }}
                />
              </li>
            ))}
          </ul>
        </details>
      )}
      {place.retryAt !== undefined && (
        <p className="notice warning">
          <Text
            of={words.waiting}
            values={{ ...values, time: <Time of={place.retryAt} style={{ timeStyle: 'short' }} /> }}
          />
        </p>
      )}
      {place.lastCollectedAt !== undefined && (
        <p className="muted">
          <Text
            of={words.last}
            values={{ time: <Time of={place.lastCollectedAt} style={{ dateStyle: 'medium', timeStyle: 'short' }} /> }}
          />
        </p>
      )}
      {place.consentEndsAt !== undefined && status !== 'disconnected' && (
        <p className="muted">
          <Text of={words.ends} values={{ time: <Time of={place.consentEndsAt} style={{ dateStyle: 'medium' }} /> }} />
        </p>
      )}
      <PlaceActions path={path} place={place} />
    </article>
  );
}

function PlaceActions({ path, place }: { path: string; place: Place }): ReactNode {
  const { texts } = useWording();
  const words = texts.places;
  const { system, status, connectionIds } = place;
  const values = { system: <Name>{system.name}</Name> };
  const needsSignIn = status === 'sign_in_again' || status === 'failed' || status === 'disconnected';
  return (
    <>
      {needsSignIn && (
        <div className="actions">
          <a href={`${path}/systems/${system.id}`}>{status === 'disconnected' ? words.connectAgain : words.renew}</a>
        </div>
      )}
      {status !== 'disconnected' && (
        <details className="quiet">
          <summary>{words.disconnect}</summary>
          <form method="post" action={`${path}/disconnect`}>
            <p>
              <strong>
                <Text of={words.disconnectTitle} values={values} />
              </strong>
            </p>
            <p>
              <Text of={words.disconnectMeans} values={values} />
            </p>
            {connectionIds.map((id) => (
              <input key={id} type="hidden" name="connection_id" value={id} />
            ))}
            <button className="danger">
              <span>
                <Text of={words.disconnectNow} values={values} />
              </span>
            </button>
          </form>
        </details>
      )}
    </>
  );
}

function Progress({ label, done, total }: { label: string; done: number; total: number }): ReactNode {
  const { texts } = useWording();
  const words = texts.places;
  return (
    <>
      {/* Without a value it would move. */}
      <progress aria-label={label} value={done} max={Math.max(total, 1)} />
      <p className="muted">
        {total === 0 ? words.starting : words.soFar.replace('{done}', String(done)).replace('{total}', String(total))}
      </p>
    </>
  );
}

/** A time in the zone of the device, which the server does not know: without scripts it is in UTC. */
function Time({ of, style }: { of: string; style: Intl.DateTimeFormatOptions }): ReactNode {
  const { language } = useWording();
  const isInBrowser = useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
  const zone = isInBrowser ? {} : { timeZone: 'UTC' };
  const text = new Intl.DateTimeFormat(language, { ...style, ...zone }).format(new Date(of));
  return <time dateTime={of}>{isInBrowser ? text : `${text} UTC`}</time>;
}

/** A date of FHIR, which can have no month or no day. */
function dateOf(language: string, date: string): string {
  const [, month, day] = date.split('-');
  if (month === undefined) return date;
  const style: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: 'long',
    ...(day === undefined ? {} : { day: 'numeric' }),
    timeZone: 'UTC',
  };
  return new Intl.DateTimeFormat(language, style).format(new Date(date));
}
