/** Frequent misspellings that are words of no name: each is read as the word beside it. */
export const misspellings: ReadonlyMap<string, string> = new Map(
  "teh=the hte=the feild=field filed=field fiedl=field buton=button buttton=button buttom=button bottun=button botton=button clcik=click clikc=click clik=click cilck=click verfy=verify verifiy=verify veryfy=verify wiat=wait wati=wait chekc=check chcek=check slect=select selcet=select seelct=select tpye=type enetr=enter etner=enter navigte=navigate dropdwon=dropdown checkobx=checkbox shoud=should shuold=should disaplyed=displayed dispalyed=displayed visable=visible pasword=password recieve=receive adn=and nad=and pres=press presss=press opne=open ont=on tehn=then thne=then"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);
