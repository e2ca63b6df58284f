import { type ReactNode, useState } from 'react';
import type { Client } from '../api/answers';
import { Field } from '../components/field';
import { Form, InvalidInput } from '../components/form';

const maxBytes = 65_536;

interface LogoFormProps {
  client: Client;
  change: (body: object) => Promise<void>;
}

/** The image beside the name of a client. */
export function LogoForm({ client, change }: LogoFormProps): ReactNode {
  return (
    <>
      <NewLogo client={client} change={change} />
      {client.logo !== undefined && (
        <Form submit={() => change({ logo: null })} action="Remove the logo" kind="plain" />
      )}
    </>
  );
}

function NewLogo({ client, change }: LogoFormProps): ReactNode {
  const [generation, setGeneration] = useState(0);
  const submit = async (data: FormData): Promise<void> => {
    const file = data.get('logo');
    if (!(file instanceof File) || file.size === 0) throw new InvalidInput({ logo: 'Choose a file.' });
    if (file.size > maxBytes) throw new InvalidInput({ logo: 'The file is larger than 64 KB. Choose a smaller one.' });
    await change({ logo: await dataUrlOf(file) });
    setGeneration(generation + 1);
  };
  return (
    <Form key={generation} submit={submit} action="Save logo" kind="plain">
      <Field
        name="logo"
        label="Image"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        hint={`PNG, JPEG, WebP or SVG, square, at most 64 KB.${client.logo === undefined ? '' : ' It replaces the present one.'}`}
      />
    </Form>
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new InvalidInput({ logo: 'The file cannot be read. Choose it again.' }));
    reader.readAsDataURL(file);
  });
}
