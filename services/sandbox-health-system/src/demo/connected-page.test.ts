import request from 'supertest';
import { startSandbox } from '../../test/smart-client';

it.each([
  ['success=true&connection_id=1', 'The health system granted access'],
  ['success=false&error=expired', 'The sign-in took too long'],
  ['success=false&error=%3Cscript%3E', 'The health system did not grant access'],
])('shows the outcome of connecting with %s, and no text of the URL', async (query, expected) => {
  const { app } = await startSandbox();
  const { text } = await request(app).get(`/demo/connected?${query}`).expect(200).expect('Content-Type', /html/);
  expect(text).toContain(expected);
  expect(text).not.toContain('<script>');
});
