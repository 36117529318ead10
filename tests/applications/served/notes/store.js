// Notes in the file NOTES, which is read before and written after each change.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const path = process.env.NOTES;
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { last: 0, notes: [] });
const same = (id) => (note) => String(note.id) === String(id);

// Bundlers put this module into several files: who is logged in is known in all.
export const sessions = (globalThis.sessions ??= new Map());
export const list = () => read().notes;
export const get = (id) => list().find(same(id));

function change(id, how) {
  const all = read();
  const note = all.notes.find(same(id));
  const wrong = note ? how(note, all.notes) : 'gone';
  if (!wrong) writeFileSync(path, JSON.stringify(all));
  return wrong ?? '';
}

export function add(title, body) {
  const all = read();
  const note = { id: ++all.last, title, body, done: false, version: 1, owner: 'ann' };
  all.notes.push(note);
  writeFileSync(path, JSON.stringify(all));
  return note;
}

export const edit = (id, version, changed) => change(id, (note) => {
  if (String(note.version) !== String(version)) return 'conflict';
  Object.assign(note, changed, { version: note.version + 1 });
});
export const toggle = (id) => (change(id, (note) => { note.done = !note.done; }) ? undefined : get(id));
export const remove = (id) => !change(id, (note, notes) => { notes.splice(notes.indexOf(note), 1); });
