async (addresses, patience) => {
  const active = [];
  let loaded = 0;
  const blank = document.body.appendChild(document.createElement('iframe'));
  const clean = blank.contentWindow; // what every page's scripts know by name
  const elements = /^(script|iframe|frame|object|embed|applet|form|input|button|textarea|select|meta|base|link|style|svg|math|template|noscript|audio|video|portal|dialog)$/;
  const inspect = (address, body) => {
    for (const e of body.querySelectorAll('*')) {
      if (elements.test(e.localName.toLowerCase())) active.push(address + ' <' + e.localName + '>');
      for (const a of e.attributes) {
        if (/^(on.*|style|srcdoc|formaction)$/i.test(a.name)) active.push(address + ' ' + a.name + '=' + a.value);
        if (a.name === 'id' && (a.value in clean || a.value in clean.document)) active.push(address + ' id=' + a.value);
        if (/^(href|src|action|data|xlink:href)$/i.test(a.name)) {
          let scheme = 'invalid:';
          try { scheme = new URL(a.value, document.baseURI).protocol; } catch { }
          if (!/^(https?|mailto|invalid):$/.test(scheme)) active.push(address + ' ' + a.name + '=' + a.value);
        }
      }
    }
  };
  const open = (address) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts allow-same-origin';
    const finish = () => { clearTimeout(timer); frame.remove(); done(); };
    const timer = setTimeout(finish, patience); // attacks may keep a page from loading
    frame.onload = () => {
      try {
        if (frame.contentWindow.location.pathname !== new URL(address, location.href).pathname) return finish();
        loaded++;
        inspect(address, frame.contentDocument.body);
      } catch { /* it went to another origin */ }
      finish();
    };
    frame.src = address;
    document.body.append(frame);
  });
  for (let i = 0; i < addresses.length; i += 32) {
    await Promise.all(addresses.slice(i, i + 32).map(open));
  }
  return { fired: [...window.fired], active, loaded };
}
