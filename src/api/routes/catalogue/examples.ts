/** Example responses of the catalogue for openapi.json. A test checks them against the schemas. */

const id = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e";
const times = {
  created_at: "2026-03-02T09:15:00.000Z",
  updated_at: "2026-03-02T09:15:00.000Z",
};

export const projectExample = {
  id: "0199c29f-11aa-7b22-8c33-4d5e6f708192",
  name: "Web shop",
  ...times,
  version: 1,
};

export const folderExample = {
  id: "0199c29f-22bb-7c33-9d44-5e6f708192a3",
  name: "Checkout",
  project_id: projectExample.id,
  parent_id: null,
  ...times,
  version: 1,
};

export const tagExample = {
  id: "0199c29f-33cc-7d44-8e55-6f708192a3b4",
  name: "smoke",
  ...times,
  version: 1,
};

const open = {
  action: "navigate",
  target: "",
  value: "/login",
  description: "Open /login",
};
const signIn = {
  action: "click",
  target: '"Sign in" button',
  value: "",
  description: 'Click the "Sign in" button',
};

export const stepInputExamples = [open, signIn];

const flags = { optional: false, disabled: false };

export const stepExamples = [
  { id: "0199c2a0-7b1f-7001-8a01-000000000001", position: 1, ...open, ...flags },
  { id: "0199c2a0-7b1f-7002-8a01-000000000002", position: 2, ...signIn, ...flags },
];

export const textExample = 'Open /login\nClick the "Sign in" button';

export const summaryExample = {
  id,
  name: "Sign in",
  project_id: projectExample.id,
  folder_id: folderExample.id,
  tags: [{ id: tagExample.id, name: tagExample.name }],
  language: "en",
  platform: "web",
  step_count: 2,
  source: "tests/sign-in.yaml",
  pushed: true,
  ...times,
  version: 1,
};

export const testExample = {
  ...summaryExample,
  text: textExample,
  steps: stepExamples,
  warnings: [],
};

export const testSetSummaryExample = {
  id: "0199c2a0-8c2f-7d4b-8e5f-2a3b4c5d6e7f",
  name: "Every night",
  project_id: projectExample.id,
  test_ids: [id],
  ...times,
  version: 1,
};

export const testSetExample = {
  ...testSetSummaryExample,
  items: [{ position: 1, test_id: id, name: "Sign in", step_count: 2 }],
};

export const warningExample = {
  line: 3,
  text: "Frobnicate the widget",
  message: "This is not understood.",
  suggestions: ["Click the widget"],
};
