import { type ReactNode, useState } from 'react';
import { asClient, keys, refresh } from '../api/queries';
import { ApiError, send } from '../api/request';
import { AsCurl } from '../components/curl';
import { CancelButton, DialogBox } from '../components/dialogs';
import { Field, SelectField } from '../components/field';
import { Form, InvalidInput, textOf } from '../components/form';
import { useToast } from '../components/toasts';
import { sentence } from '../text';

/** The path of a request for an export, below {analytics_url}. */
export const exportPath = 'bulk-data/r4/$export';
export const respondAsync = { Prefer: 'respond-async' };

const formats = {
  own: 'As each health system has them',
  r4: 'R4: those of DSTU2 and STU3 are converted',
  newest: 'R4, of each health system the newest release only',
};
const inR4 = { name: '_outputFormat', valueString: 'application/fhir+ndjson;fhirVersion=4.0' };
const parametersOfFormat: Record<string, object[]> = {
  own: [],
  r4: [inR4],
  newest: [inR4, { name: '_releasePerSource', valueString: 'newest' }],
};
const fieldOf: Record<string, string> = { _type: 'types', _since: 'since' };

interface NewExportProps {
  clientId: string;
  /** @param started the id of the export, if one was started */
  close: (started?: string) => void;
}

/** Starts an asynchronous export of all users of a client. */
export function NewExport({ clientId, close }: NewExportProps): ReactNode {
  const tell = useToast();
  const [body, setBody] = useState(() => parametersOf(new FormData()));
  const submit = async (data: FormData): Promise<void> => {
    const path = asClient(clientId, 'analytics', exportPath);
    const answer = await send('POST', path, parametersOf(data), respondAsync).catch(atField);
    await refresh(keys.exports(clientId));
    tell('The export has begun.');
    close(answer.headers.get('content-location')?.split('/').at(-1));
  };
  return (
    <DialogBox title="New export" close={close}>
      <p>The records of all users of the application, as they are now: a file for each type and FHIR release.</p>
      <div
        onChange={(event) => setBody(parametersOf(new FormData((event.target as HTMLInputElement).form ?? undefined)))}
      >
        <Form submit={submit} action="Start export" more={<CancelButton close={close} />}>
          <Field
            name="types"
            label="Resource types"
            hint="Separated by commas, such as Patient, Observation. Empty: all."
            autoComplete="off"
            spellCheck={false}
          />
          <Field
            name="since"
            type="datetime-local"
            label="Changed since"
            hint="Only what changed after this time, and a list of what was deleted. Empty: everything."
          />
          <SelectField name="format" label="FHIR release of the files" defaultValue="own" options={formats} />
        </Form>
      </div>
      <AsCurl
        clientId={clientId}
        api="analytics_url"
        path={exportPath}
        method="POST"
        headers={respondAsync}
        body={body}
      />
    </DialogBox>
  );
}

function parametersOf(data: FormData): object {
  const types = textOf(data, 'types')
    .split(/[\s,]+/)
    .filter((type) => type !== '');
  const since = textOf(data, 'since');
  const parameter = [
    ...(types.length > 0 ? [{ name: '_type', valueString: types.join(',') }] : []),
    ...(since === '' ? [] : [{ name: '_since', valueInstant: new Date(since).toISOString() }]),
    ...(parametersOfFormat[textOf(data, 'format')] ?? []),
  ];
  return { resourceType: 'Parameters', ...(parameter.length > 0 ? { parameter } : {}) };
}

/** The API names the parameter: `_type: must be resource types`. */
function atField(error: unknown): never {
  const [, name = '', problem = ''] = (error instanceof ApiError && /^(\w+): (.*)$/.exec(error.message)) || [];
  const field = fieldOf[name];
  throw field === undefined ? error : new InvalidInput({ [field]: sentence(problem) });
}
