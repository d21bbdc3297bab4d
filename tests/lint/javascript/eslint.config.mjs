// The rules that ESLint recommends, and the sizes that hold for all sources of this project. Runs
// in the root of the project; CMakeLists.txt beside this folder puts it where its packages are.
import css from '@eslint/css';
import js from '@eslint/js';

const readable = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));
const ANYWHERE = readable(['URL', 'console', 'setTimeout']);
const PAGE = readable(
    ['Blob', 'DOMParser', 'ResizeObserver', 'document', 'getComputedStyle', 'navigator', 'window']);
const NODE = readable(['Event', 'process']);

export default [
  {
    files: ['**/*.js', '**/*.mjs'],
    ...js.configs.recommended,
    languageOptions: {ecmaVersion: 2022, sourceType: 'module', globals: ANYWHERE},
    linterOptions: {reportUnusedDisableDirectives: 'error'},
    rules: {
      ...js.configs.recommended.rules,
      'eqeqeq': 'error',
      'max-lines': ['error', {max: 600}],
      'max-lines-per-function': ['error', {max: 60}],
      'no-implicit-globals': 'error',
      'no-shadow': 'error',
      'no-useless-return': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    }
  },
  {files: ['analysis/report/src/**'], languageOptions: {globals: PAGE}},
  // Tests in a browser send functions into the page.
  {files: ['tests/report/**'], languageOptions: {globals: {...PAGE, ...NODE}}},
  {
    files: ['analysis/report/build.mjs', 'tests/lint/**', 'tests/published/**'],
    languageOptions: {globals: NODE},
  },
  {
    files: ['**/*.css'],
    language: 'css/css',
    ...css.configs.recommended,
    // What a browser does not know of these, it leaves out: looks, and breaks of printed pages.
    rules: {...css.configs.recommended.rules, 'css/use-baseline': 'off'},
  },
];
