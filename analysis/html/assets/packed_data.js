// What the page holds packed: base64 of gzip of JSON in <script type="application/octet-stream" id="xsp-NAME">. Each is
// unpacked once, when somebody first asks for it.
xsp.data = (function () {
  const promises = new Map();
  const unpacked = new Map();

  function bytesOf(base64) {
    const text = atob(base64); // which skips white space
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function unpack(name) {
    const element = document.getElementById(`xsp-${name}`);
    if (element === null) throw new Error(`this page holds no ${name}`);
    if (typeof DecompressionStream === "undefined") {
      throw new Error(`this browser cannot unpack the page's ${name}: Chrome 80, Firefox 113, Safari 16.4 and later can`);
    }
    const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
    let data;
    try {
      data = await new Response(stream).json();
    } catch (error) {
      throw new Error(`the page's ${name} are damaged (${error.message}): write it again`);
    }
    unpacked.set(name, data);
    return data;
  }

  return {
    has: (name) => document.getElementById(`xsp-${name}`) !== null,
    // A promise of the object; rejected with a sentence for the reader.
    get(name) {
      if (!promises.has(name)) promises.set(name, unpack(name));
      return promises.get(name);
    },
    // The object where it is unpacked already, else undefined.
    now: (name) => unpacked.get(name),
  };
})();
