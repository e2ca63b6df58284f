import express from 'express';
import request, { type Test } from 'supertest';
import type { Screen } from './screens';
import { type WebApplication, sendScreen } from './send-screen';

const web: WebApplication = {
  render: ({ appName = '' }) => ({ title: appName, html: '' }),
  files: new Map(),
  script: 'main.js',
  styles: 'main.css',
};

const screen: Screen = { name: 'window' };
const error: Screen = { name: 'error', error: 'page_ended', code: 'connect_page_ended', status: 410, requestId: 'r' };

function screenOf(pageFacts: object, accept = 'text/html', sent = screen): Test {
  const app = express().use((incoming, response) => {
    response.locals['pageFacts'] = pageFacts;
    response.set('X-Frame-Options', 'SAMEORIGIN');
    sendScreen({ web, baseUrl: 'https://api.example.org/tributary' }, incoming, response, sent);
  });
  return request(app).get('/').set('Accept', accept);
}

describe('sendScreen', () => {
  it('lets no page show the screen in a frame', async () => {
    const { headers } = await screenOf({ appName: 'Diary' });
    expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/);
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  });

  it('lets the pages of the origins of the application show it in a frame', async () => {
    const frameOrigins = ['https://app.example.org', 'https://beta.example.org:8443'];
    const { headers } = await screenOf({ appName: 'Diary', frameOrigins });
    expect(headers['content-security-policy']).toMatch(
      /; frame-ancestors https:\/\/app\.example\.org https:\/\/beta\.example\.org:8443$/,
    );
    expect(headers).not.toHaveProperty('x-frame-options');
  });

  it('lets every page show an error in a frame of which no application is known, and nothing else', async () => {
    const { headers } = await screenOf({}, 'text/html', error);
    expect(headers['content-security-policy']).toMatch(/; frame-ancestors \*$/);
    expect(headers).not.toHaveProperty('x-frame-options');
    for (const { headers } of [await screenOf({}), await screenOf({ appName: 'Diary' }, 'text/html', error)]) {
      expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/);
      expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    }
  });

  it('loads its files below the path of the base URL', async () => {
    const { text } = await screenOf({});
    expect(text).toContain('src="/tributary/connect/assets/main.js"');
    expect(text).toContain('href="/tributary/connect/assets/main.css"');
  });

  it('sends the logo with the document, and not again with the data of its next screens', async () => {
    const facts = { appName: 'Diary', appLogo: 'data:image/png;base64,iVBORw==' };
    expect((await screenOf(facts)).text).toContain('"appLogo":"data:image/png;base64,iVBORw=="');
    expect((await screenOf(facts, 'application/json')).body).toEqual({
      language: 'en',
      appName: 'Diary',
      messageOrigins: [],
      screen,
    });
  });
});
